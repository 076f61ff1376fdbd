package dev.verbena.graph.run.memory;

import java.util.ArrayDeque;
import java.util.Deque;

import dev.verbena.graph.TensorType;
import dev.verbena.graph.plan.RunPlan.Holds;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * One output of a node within a frame: made once, set anew in each run.
 *
 * <p><b>Owner:</b> the frame. <b>Threading:</b> written by its node's kernel, then read by its readers.
 */
public final class Value {
    private final TensorType type;
    /** Null if only a run tells. */
    private final Shape known;
    private final Holds holds;
    /** For storage that begins its life here. */
    private final Storage own = new Storage();
    /** What fetches of it get, where that is not the storage as it is when all has run. */
    private final Deque<Tensor> kept = new ArrayDeque<>(0);
    private Tensor tensor;
    private Storage storage;
    /** Whether there is none in this run, since the branch that it is of is not taken. */
    private boolean isDead;
    private TensorAllocator destination;
    /** Steps of a run that send it to another task. */
    private int senderCount;
    /** Those of them that are not done. */
    private int unsent;
    /** What they send where the tensor itself cannot be sent; null before the first. */
    private Tensor staged;

    /** @param holds who needs it, as the plan found out */
    public Value(TensorType type, Holds holds) {
        this.type = type;
        this.holds = holds;
        this.known = type.isStatic() ? type.shape().toShape() : null;
    }

    public TensorType type() {
        return type;
    }

    public Storage own() {
        return own;
    }

    /** In storage that begins here. */
    public void setOwn(Tensor tensor, Storage.Kind kind) {
        own.take(tensor, kind);
        set(tensor, own);
    }

    /** In storage that began elsewhere. */
    public void set(Tensor tensor, Storage storage) {
        this.tensor = tensor;
        this.storage = storage;
    }

    /**
     * One more step sends it in each run.
     *
     * @param place where that step's peer has it: there it is computed, if nobody else reads it, who might do so after it was sent
     */
    public void addSender(TensorAllocator place) {
        senderCount++;
        destination = holds.readers() == 1 && holds.fetches() == 0 ? place : null;
    }

    /** Memory of the peer that is best to compute it in; null where that is none. */
    public TensorAllocator destination() {
        return destination;
    }

    public boolean isStaged() {
        return staged != null;
    }

    /** A copy in registered memory, one for all who send it in the run, as the plan counts it; null if there is no room for it at present. */
    public Tensor stage(SessionMemory memory, String sender) {
        if (staged == null) {
            staged = memory.stage(tensor, sender);
        }
        return staged;
    }

    /** One of those who send it is done. */
    public void sent() {
        unsent--;
        if (unsent == 0) {
            unstage();
        }
    }

    private void unstage() {
        if (staged != null) {
            staged.close();
            staged = null;
        }
    }

    public void die() {
        isDead = true;
    }

    public boolean isDead() {
        return isDead;
    }

    public boolean isSet() {
        return tensor != null || isDead;
    }

    /** Whether the tensor is of the type that the shape function said. */
    public boolean isAsAnnounced() {
        if (isDead) {
            return true;
        }
        return known == null
                ? type.accepts(tensor.type(), tensor.shape())
                : tensor.type() == type.elementType() && tensor.shape().equals(known);
    }

    /** Null if it is dead, as is the storage. */
    public Tensor tensor() {
        return tensor;
    }

    public Storage storage() {
        return storage;
    }

    /** The node is done: those who need the output hold its storage from now on, and the node no longer does. Nobody holds what is dead. */
    public void publish() {
        if (isDead) {
            return;
        }
        storage.publish(holds);
        if (storage == own) {
            own.release();
        }
    }

    /**
     * A variable under another name is fetched as it was when its node was done, whatever changes it later in the run, be it the task's own or
     * lent: so it is where another task has received it, and the same graph gives the same wherever its nodes are placed.
     */
    public void keepForFetches(SessionMemory memory) {
        for (int i = 0; i < holds.fetches() && !isDead && storage.isFleeting(); i++) {
            Tensor copy = memory.allocateOrdinary(tensor.type(), tensor.shape());
            kept.add(copy);
            copy.memory().copyFrom(tensor.memory());
        }
    }

    /** One of those kept, now the caller's; null if there is none. */
    public Tensor takeKept() {
        return kept.poll();
    }

    /** After a failed run. */
    public void abandon() {
        kept.forEach(Tensor::close);
        kept.clear();
        unstage();
    }

    public void clear() {
        tensor = null;
        storage = null;
        isDead = false;
        unsent = senderCount;
    }
}
