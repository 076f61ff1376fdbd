package dev.verbena.graph;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;

/** The sending end of a crossing edge. Confined to the session's thread; callbacks come on any. */
interface OutgoingEdge {
    /** Whether the tensor lies in registered memory, so that it can be offered as it is. */
    boolean isRegistered(Tensor tensor);

    SendResult offer(Tensor tensor, SendCallback callback);

    /** Copies the tensor into registered memory first; BACK_PRESSURED also when there is no room for the copy. */
    SendResult offerCopy(Tensor tensor, SendCallback callback);
}
