package dev.verbena.transfer.fabric.verbs.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.TransferException;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.cm.CmEvent;
import dev.verbena.verbs.cm.CmEventChannel;
import dev.verbena.verbs.cm.CmEventType;
import dev.verbena.verbs.cm.CmId;

/**
 * A fabric's part in the connection manager: listens for the queue pairs of peers, and takes the events of all its own on a thread of
 * its own, so that nobody else waits for them.
 *
 * <p>Only who shows a token that was told over a control socket is let in.
 *
 * <p><b>Owner:</b> the fabric, which closes it after its links. <b>Threading:</b> thread-safe.
 */
public final class CmAgent implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(CmAgent.class);
    private static final int BACKLOG = 256;
    /** What a refusal has room for on every transport (rdma_reject(3)). */
    private static final int REASON_BYTE_SIZE_MAX = 148;
    /** The connection manager's ports are its own, but iWARP shares those of TCP, and one of them may be in use there. */
    private static final int LISTEN_TRIES = 8;
    private static final long WAIT_NS = TimeUnit.HOURS.toNanos(1);

    private final CmEventChannel channel;
    private final CmId listener;
    private final InetSocketAddress address;
    private final DeviceContext device;
    private final Map<CmId, CmLink> links = new ConcurrentHashMap<>();
    private final Map<CmToken, List<CmLink>> expected = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean isOpen = true;

    private CmAgent(CmEventChannel channel, CmId listener) {
        this.channel = channel;
        this.listener = listener;
        address = listener.localAddress();
        device = listener.device();
        thread = Thread.ofPlatform().daemon().name("verbena-verbs-cm").start(this::run);
    }

    /**
     * Listens at the address.
     *
     * @param device that must be behind it
     * @throws TransferException if it is another, or there is no connection manager; one sentence that says what to do
     */
    public static CmAgent open(InetAddress local, String device) {
        CmEventChannel channel = null;
        try {
            channel = CmEventChannel.create();
            CmId listener = listen(channel, local);
            try {
                requireDevice(listener, device);
                return new CmAgent(channel, listener);
            } catch (RuntimeException e) {
                listener.close();
                throw e;
            }
        } catch (VerbsException | IllegalStateException e) {
            closeQuietly(channel);
            throw new TransferException("device " + device + " cannot be used through rdma_cm at "
                    + local.getHostAddress() + ": " + e.getMessage(), e);
        } catch (TransferException e) {
            closeQuietly(channel);
            throw e;
        }
    }

    private static void closeQuietly(CmEventChannel channel) {
        if (channel != null) {
            channel.close();
        }
    }

    private static CmId listen(CmEventChannel channel, InetAddress local) {
        for (int left = LISTEN_TRIES;; left--) {
            CmId id = channel.createId();
            try {
                id.bind(new InetSocketAddress(local, 0));
                id.listen(BACKLOG);
                return id;
            } catch (VerbsException e) {
                id.close();
                if (left == 1) {
                    throw e;
                }
                LOGGER.debug("another port is tried", e);
            } catch (RuntimeException e) {
                id.close();
                throw e;
            }
        }
    }

    private static void requireDevice(CmId id, String device) {
        String found = id.device().name();
        if (!found.equals(device)) {
            throw new TransferException("rdma_cm finds device " + found + " at address "
                    + id.localAddress().getAddress().getHostAddress() + ", not " + device
                    + ", for both are on the network interface of that address; give each an interface of its own, or set RDMA_DEVICE to "
                    + found);
        }
    }

    void requireDevice(CmId id) {
        requireDevice(id, device.name());
    }

    /** What all that is to be connected is made from. It is the connection manager's: never to be closed. */
    public DeviceContext device() {
        return device;
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return address;
    }

    // ---- links ----

    /** Lets requests with that token in: that of index i to the i-th link. */
    public void expect(CmToken token, List<CmLink> links) {
        expected.put(token, List.copyOf(links));
    }

    /** No more. */
    public void forget(CmToken token) {
        expected.remove(token);
    }

    CmId createId() {
        return channel.createId();
    }

    void add(CmId id, CmLink link) {
        links.put(id, link);
    }

    void remove(CmId id) {
        links.remove(id);
    }

    // ---- events ----

    private void run() {
        try {
            while (isOpen) {
                CmEvent event = channel.await(WAIT_NS);
                if (event != null) {
                    on(event);
                }
            }
        } catch (RuntimeException e) {
            LOGGER.error("the connection manager cannot be heard any more; nobody is connected from now on", e);
        }
    }

    private void on(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            onRequest(event);
            return;
        }
        CmLink link = event.id() == null ? null : links.get(event.id());
        if (link != null) {
            link.on(event);
        } else if (event.type().isFailure()) {
            LOGGER.warn("connection manager: {}", event.problem());
        }
    }

    private void onRequest(CmEvent event) {
        CmLink link = expected(CmToken.read(event.privateData()));
        if (link == null) {
            LOGGER.debug("a request that nobody was invited to is refused: {}", event.id());
            refuse(event.id(), "nobody was invited so");
        } else {
            link.accept(event.id());
        }
    }

    private CmLink expected(CmToken.Target target) {
        List<CmLink> all = target == null ? null : expected.get(target.token());
        return all == null || target.index() < 0 || target.index() >= all.size() ? null : all.get(target.index());
    }

    /** A request that is not granted. */
    static void refuse(CmId request, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        try {
            request.reject(Arrays.copyOf(text, Math.min(text.length, REASON_BYTE_SIZE_MAX)));
        } catch (VerbsException e) {
            LOGGER.debug("who asked is gone", e);
        } finally {
            request.close();
        }
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (!isOpen) {
            return;
        }
        isOpen = false;
        channel.wake();
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        listener.close();
        channel.close();
    }
}
