/** The fabric contract as tests, traces of allocations, and what else proves a fabric or an allocator; for test scope. */
module dev.verbena.testing {
    requires java.xml;
    requires transitive dev.verbena.allocator;
    requires transitive dev.verbena.transfer;
    requires transitive org.junit.jupiter.api;

    exports dev.verbena.testing;
    exports dev.verbena.testing.region;
    exports dev.verbena.testing.sim;
    exports dev.verbena.testing.trace;
}
