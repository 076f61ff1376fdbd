package dev.verbena.graph.run;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Endpoint;

/**
 * Carries tensors along the crossing edges of a session in place of the device's transfers, such as an RPC library that these are compared with. All
 * tasks of a cluster have one or none has. Tasks are still connected by their devices, which tell what each run needs and who is lost.
 *
 * <p><b>Owner:</b> the caller, who closes what is his after the session. <b>Threading:</b> ends are made, and then used, by the session's thread;
 * {@code wakeUp} may be called by any.
 *
 * <p>Source: EuroSys'19 §5 compares with tensors as messages of gRPC.
 */
public interface EdgeCarrier {
    /**
     * What an edge has brought.
     *
     * @param type null of a dead tensor
     * @param shape null of a dead tensor
     * @param content as many bytes as these make; null of a dead tensor. It is read before the next call of the end
     *
     * <p><b>Owner:</b> the session. <b>Threading:</b> as the end that it is from.
     */
    record Arrival(ElementType type, Shape shape, MemorySegment content) {
        /** Whether there is no tensor in this run, since the branch that it would come from was not taken. */
        public boolean isDead() {
            return content == null;
        }
    }

    /**
     * The sending end of an edge.
     *
     * <p><b>Owner:</b> the carrier. <b>Threading:</b> confined to the session's thread.
     */
    interface Outgoing {
        /**
         * The tensor of the next run, of which the carrier takes a copy.
         *
         * @param tensor null if it is dead
         * @return false if the one before has not left, so that it is to be offered again
         * @throws dev.verbena.transfer.TransferException if the edge is broken
         */
        boolean offer(Tensor tensor);
    }

    /**
     * The receiving end of an edge.
     *
     * <p><b>Owner:</b> the carrier. <b>Threading:</b> confined to the session's thread.
     */
    interface Incoming {
        /**
         * The tensor of the next run.
         *
         * @return null if it is not there yet
         * @throws dev.verbena.transfer.TransferException if it never will be
         */
        Arrival poll();
    }

    /** @param edge a name that no other edge of the cluster has, the same at both ends */
    Outgoing outgoing(String edge, Runnable wakeUp);

    /**
     * @param edge a name that no other edge of the cluster has, the same at both ends
     * @param sender where the sending task's device is
     * @param wakeUp to be called when the next tensor is there, or never will be
     */
    Incoming incoming(String edge, Endpoint sender, Runnable wakeUp);
}
