/** RDMA verbs for Java, over FFM. */
module dev.verbena.bindings {
    exports dev.verbena.verbs;
}
