package dev.verbena.transfer.fabric.verbs;

/** Where a queue pair's {@link ReceiveCredit} word can be read by the peer. */
record CreditAddress(long address, int rkey) {
    /** Of a device that waits for receives by itself. */
    static final CreditAddress NONE = new CreditAddress(0, 0);
}
