package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Edge;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePair;

/** In which order a new connection comes to life. */
class PeerConnectionTest {
    private static final int DEPTH = 2;

    private final List<Integer> listening = new ArrayList<>();

    /** A peer that is heard asks for what goes over the others, and may do so before the last command has come to the poller. */
    @Test
    void theRpcListensLast() {
        try (Arena memory = Arena.ofConfined();
                TensorArena arena = TensorArena.create(source(memory), 0, 1 << 20)) {
            CompletionQueue queue = answering(CompletionQueue.class, Map.of("poll", 0, "remoteEffects", 0L));
            Engines engines = new Engines("device", List.of(queue), Progress.callers(), Edge.ofMachine(), true);
            List<QueuePair> queuePairs = List.of(queuePair(0, queue), queuePair(1, queue), queuePair(2, queue));
            PeerConnection connection = new PeerConnection(
                    answering(Connection.class, Map.of("queuePairs", queuePairs, "peerName", "peer")),
                    engines, DEPTH, new RpcMethods(), new ReceiverDirectory(new RpcMethods()), arena, Long.MAX_VALUE,
                    failed -> {});
            engines.progress();
            assertEquals(List.of(1, 2, 0), listening.stream().distinct().toList());
            connection.close();
        }
    }

    private QueuePair queuePair(int number, CompletionQueue queue) {
        return (QueuePair) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[]{QueuePair.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "completionQueue" -> queue;
                    case "state" -> QueuePair.State.READY;
                    case "postReceive" -> listening.add(number);
                    case "fail" -> null;
                    default -> throw new AssertionError(method.getName());
                });
    }

    /** Gives these answers by the method's name, and null to all else. */
    private <T> T answering(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[]{type},
                (proxy, method, arguments) -> method.isDefault()
                        ? InvocationHandler.invokeDefault(proxy, method, arguments)
                        : answers.get(method.getName())));
    }

    private SlabSource source(Arena memory) {
        return new SlabSource() {
            @Override
            public Slab acquire(long byteSizeMin) {
                MemorySegment segment = memory.allocate(byteSizeMin, 4096);
                return answering(MemoryRegion.class, Map.of("memory", segment));
            }

            @Override
            public void release(Slab slab) {}
        };
    }
}
