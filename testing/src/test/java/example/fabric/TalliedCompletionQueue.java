package example.fabric;

import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/** Tells of its own queue pairs. */
record TalliedCompletionQueue(TalliedFabric fabric, CompletionQueue carrier) implements CompletionQueue {
    @Override
    public int poll(CompletionHandler handler, int countMax) {
        return carrier.poll(completion -> {
            completion.queuePair = fabric.of(completion.queuePair.connection()).of(completion.queuePair);
            handler.onCompletion(completion);
        }, countMax);
    }

    @Override
    public long remoteEffects() {
        return carrier.remoteEffects();
    }

    @Override
    public void await(long timeoutNs) {
        carrier.await(timeoutNs);
    }

    @Override
    public void lookForPuts() {
        carrier.lookForPuts();
    }

    @Override
    public long idleNsMax() {
        return carrier.idleNsMax();
    }

    @Override
    public void signal() {
        carrier.signal();
    }

    @Override
    public void close() {
        carrier.close();
    }
}
