/**
 * RDMA verbs for Java, over FFM.
 *
 * <p>Hidden: {@code dev.verbena.verbs.ffi}, where native code is called and its memory is written; {@code dev.verbena.verbs.abi},
 * which jextract.sh generates; {@code dev.verbena.verbs.library}, which opens the libraries for both; and
 * {@code dev.verbena.verbs.bridge}, what {@code dev.verbena.verbs.cm} needs beyond what users do.
 */
module dev.verbena.bindings {
    exports dev.verbena.verbs;
    exports dev.verbena.verbs.cm;
}
