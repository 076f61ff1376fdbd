package dev.verbena.transfer;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A fabric whose queue pairs count, by their place in the connection, what is posted to them; the first one, the RPC's, is 0. So that all is, nothing
 * is done at once, unless it is wanted.
 */
final class PostTally {
    private static final Set<String> AT_ONCE = Set.of("tryPut", "tryPutWord", "tryGet");

    private final Fabric fabric;
    private final boolean isPostingAll;
    private final Map<Connection, Connection> counted = new ConcurrentHashMap<>();
    private final Map<Integer, Counts> counts = new ConcurrentHashMap<>();

    /** Of a queue pair. */
    static final class Counts {
        /** Lists posted: each is one doorbell. */
        final AtomicLong doorbells = new AtomicLong();
        final AtomicLong requests = new AtomicLong();
        /** Of them, those of whose success nobody is told. */
        final AtomicLong unsignaled = new AtomicLong();
        final AtomicLong bytes = new AtomicLong();
        /** Requests of the longest list. */
        final AtomicLong longest = new AtomicLong();
        /** Run before each. */
        volatile Runnable beforePost = () -> {};
        /** Words that were put at once. */
        final AtomicLong words = new AtomicLong();
        /** Of them, those of which only who sleeps is told. */
        final AtomicLong untold = new AtomicLong();

        @Override
        public String toString() {
            return "doorbells=" + doorbells + " requests=" + requests + " unsignaled=" + unsignaled + " bytes=" + bytes;
        }
    }

    PostTally(Fabric fabric) {
        this(fabric, true);
    }

    PostTally(Fabric fabric, boolean isPostingAll) {
        this.fabric = fabric;
        this.isPostingAll = isPostingAll;
    }

    Counts of(int queuePair) {
        return counts.computeIfAbsent(queuePair, index -> new Counts());
    }

    Fabric fabric() {
        return proxy(Fabric.class, fabric, (method, arguments) -> {
            if (method.equals("listen")) {
                arguments[2] = counting((ConnectionHandler) arguments[2]);
            } else if (method.equals("connect")) {
                arguments[3] = counting((ConnectHandler) arguments[3]);
            }
            return null;
        });
    }

    private ConnectionHandler counting(ConnectionHandler told) {
        return new ConnectionHandler() {
            @Override
            public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
                return told.onRequest(peerName, queuePairCount);
            }

            @Override
            public void onAccepted(Connection connection) {
                told.onAccepted(counting(connection));
            }

            @Override
            public void onLost(Connection connection, boolean orderly, String cause) {
                told.onLost(counting(connection), orderly, cause);
            }
        };
    }

    private ConnectHandler counting(ConnectHandler told) {
        return new ConnectHandler() {
            @Override
            public void onConnected(Connection connection) {
                told.onConnected(counting(connection));
            }

            @Override
            public void onFailed(TransferException cause) {
                told.onFailed(cause);
            }
        };
    }

    private Connection counting(Connection connection) {
        return counted.computeIfAbsent(connection, raw -> {
            List<QueuePair> queuePairs = new ArrayList<>();
            for (QueuePair each : raw.queuePairs()) {
                Counts its = of(queuePairs.size());
                queuePairs.add(proxy(QueuePair.class, each, (method, arguments) -> {
                    if (method.equals("post")) {
                        its.beforePost.run();
                        count((WorkRequest) arguments[0], its);
                    } else if (method.equals("tryPutWord")) {
                        its.words.incrementAndGet();
                        its.untold.addAndGet((boolean) arguments[3] ? 0 : 1);
                    }
                    return isPostingAll && AT_ONCE.contains(method) ? false : null;
                }));
            }
            return proxy(Connection.class, raw,
                    (method, arguments) -> method.equals("queuePairs") ? queuePairs : null);
        });
    }

    private static void count(WorkRequest head, Counts its) {
        its.doorbells.incrementAndGet();
        long count = 0;
        for (WorkRequest each = head; each != null; each = each.next) {
            count++;
            its.requests.incrementAndGet();
            its.unsignaled.addAndGet(each.signaled ? 0 : 1);
            its.bytes.addAndGet(each.totalByteSize());
        }
        its.longest.accumulateAndGet(count, Math::max);
    }

    /** Sees a call before it is passed on, unless it has the answer. */
    private interface Look {
        Object at(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, T raw, Look look) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    Object answer = look.at(method.getName(), arguments);
                    if (answer != null) {
                        return answer;
                    }
                    try {
                        return method.invoke(raw, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
