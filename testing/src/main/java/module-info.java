/** The fabric contract as tests, and what else proves a fabric; for test scope. */
module dev.verbena.testing {
    requires transitive dev.verbena.transfer;
    requires transitive org.junit.jupiter.api;

    exports dev.verbena.testing;
}
