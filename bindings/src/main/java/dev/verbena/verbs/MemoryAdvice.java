package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What is about to be done with memory that is registered ON_DEMAND, so that its pages are there before.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_advise_mr_advice, ibv_advise_mr(3).
 */
public enum MemoryAdvice {
    /** The device will read it: pages are brought in, and writing is left to a later fault. */
    PREFETCH(IBV_ADVISE_MR_ADVICE_PREFETCH()),
    /** The device will write to it. */
    PREFETCH_WRITE(IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE()),
    /** The device shall know the pages that are there already; no others are brought in. */
    PREFETCH_NO_FAULT(IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT());

    private final int code;

    MemoryAdvice(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
