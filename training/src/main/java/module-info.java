/** A reference program: parameter servers and workers over the data-flow graph. */
module dev.verbena.training {
    requires transitive dev.verbena.graph;
    requires org.slf4j;

    exports dev.verbena.training;
}
