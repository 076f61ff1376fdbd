package dev.verbena.transfer;

import java.util.List;
import java.util.Set;

import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePairOptions;

/** A fabric that says its messages are small, and that it maps no memory of peers. */
record SmallMessageFabric(Fabric fabric, long messageByteSizeMax) implements Fabric {
    @Override
    public String name() {
        return fabric.name();
    }

    @Override
    public Capabilities capabilities() {
        Capabilities its = fabric.capabilities();
        return new Capabilities(its.writesInOrder(), its.wakesOnWrite(), messageByteSizeMax, its.regionByteSizeMax(),
                its.depthMax(), its.elementCountMax(), its.readElementCountMax(), its.hasAtomics(), its.movesByCpu(),
                false, its.imports());
    }

    @Override
    public MemoryRegion register(long byteSize, Set<AccessRight> rights, SlabOptions options) {
        return fabric.register(byteSize, rights, options);
    }

    @Override
    public MemoryRegion importMemory(ForeignMemory memory, Set<AccessRight> rights) {
        return fabric.importMemory(memory, rights);
    }

    @Override
    public CompletionQueue createCompletionQueue(int countMax) {
        return fabric.createCompletionQueue(countMax);
    }

    @Override
    public CompletionQueue createCompletionQueue(int countMax, CompletionMode idle) {
        return fabric.createCompletionQueue(countMax, idle);
    }

    @Override
    public Endpoint listen(Endpoint local, String localName, ConnectionHandler handler) {
        return fabric.listen(local, localName, handler);
    }

    @Override
    public void connect(Endpoint remote, List<QueuePairOptions> queuePairs, long timeoutNs, ConnectHandler handler) {
        fabric.connect(remote, queuePairs, timeoutNs, handler);
    }

    @Override
    public long registeredByteSize() {
        return fabric.registeredByteSize();
    }

    @Override
    public long registrationCount() {
        return fabric.registrationCount();
    }

    @Override
    public long registrationNs() {
        return fabric.registrationNs();
    }

    @Override
    public void abort(String cause) {
        fabric.abort(cause);
    }

    @Override
    public void close() {
        fabric.close();
    }
}
