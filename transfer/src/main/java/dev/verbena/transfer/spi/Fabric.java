package dev.verbena.transfer.spi;

import java.util.List;
import java.util.Set;

import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.Endpoint;

/**
 * Reliable connected queue pairs with verbs semantics; nothing above knows which fabric it has.
 *
 * <p><b>Owner:</b> the device, which closes it last. <b>Threading:</b> thread-safe.
 */
public interface Fabric extends AutoCloseable {
    /** The kind, as its provider calls it. */
    String name();

    /** The same as long as the fabric is open. */
    Capabilities capabilities();

    /** Time and threads of a device on it. */
    default Edge edge() {
        return Edge.ofMachine();
    }

    /** Of memory as everybody's; see {@link #register(long, Set, SlabOptions)}. */
    default MemoryRegion register(long byteSize, Set<AccessRight> rights) {
        return register(byteSize, rights, SlabOptions.defaults());
    }

    /**
     * Allocates zeroed memory, backed page by page, and registers it. What the options ask for and this fabric cannot do,
     * {@link MemoryRegion#backing} says.
     *
     * @throws dev.verbena.memory.OutOfArenaMemoryException if there is not so much; the message says need and have
     * @throws IllegalArgumentException if the machine has no such NUMA node as the options say
     * @throws java.util.concurrent.CancellationException if the thread is interrupted while pages are pre-faulted
     */
    MemoryRegion register(long byteSize, Set<AccessRight> rights, SlabOptions options);

    /**
     * Registers memory of others, as far as {@link Capabilities#imports} goes.
     *
     * @throws dev.verbena.transfer.TransferException if this fabric cannot, or the memory is of another kind than it can; the message says
     *             what to do instead
     * @throws IllegalArgumentException if the rights cannot be given together
     */
    MemoryRegion importMemory(ForeignMemory memory, Set<AccessRight> rights);

    /**
     * With room for {@code countMax} completions; it grows with the queue pairs made on it, as far as the device goes.
     *
     * @throws dev.verbena.transfer.TransferException if there are too many
     */
    CompletionQueue createCompletionQueue(int countMax);

    /**
     * The same, whose idle poller does as is said here, and not as the network's options say for all; a fabric that has but one way has
     * that.
     */
    default CompletionQueue createCompletionQueue(int countMax, CompletionMode idle) {
        return createCompletionQueue(countMax);
    }

    /**
     * Accepts connections at an endpoint; port 0 takes a free one. Once per fabric.
     *
     * @return the endpoint it really listens on
     * @throws dev.verbena.transfer.TransferException if the port is in use or the host is not this machine's
     */
    Endpoint listen(Endpoint local, String localName, ConnectionHandler handler);

    /**
     * Begins to connect, and returns at once; tries again until the deadline while nobody listens there yet. The handler hears what has become
     * of it, once and not within this call: when it is connected; or when it is refused, the peer is of another version or fabric, time
     * is up, or this fabric gives up or closes. However many connect, none waits for another.
     *
     * @throws IllegalArgumentException if queue pairs cannot be made so, or the endpoint has no port
     * @throws IllegalStateException if the fabric is closed
     */
    void connect(Endpoint remote, List<QueuePairOptions> queuePairs, long timeoutNs, ConnectHandler handler);

    /**
     * The same for who has nothing else to do, and waits; not on the fabric's control thread.
     *
     * @throws dev.verbena.transfer.TransferException with what the handler would hear, or if the thread is interrupted
     * @throws IllegalArgumentException if queue pairs cannot be made so, or the endpoint has no port
     * @throws IllegalStateException if the fabric is closed
     */
    default Connection connect(Endpoint remote, List<QueuePairOptions> queuePairs, long timeoutNs) {
        return new AwaitedConnection().of(this, remote, queuePairs, timeoutNs);
    }

    /** Bytes registered at present. */
    long registeredByteSize();

    /** Regions ever registered. */
    long registrationCount();

    /** Nanoseconds spent registering these. */
    long registrationNs();

    /**
     * Tells all peers why this process gives up, those too that are just connecting, and closes the connections. Nobody is connected
     * any more. Idempotent; the first cause is the one told.
     */
    void abort(String cause);

    /** Closes what is left: connections, regions, threads. Idempotent. */
    @Override
    void close();
}
