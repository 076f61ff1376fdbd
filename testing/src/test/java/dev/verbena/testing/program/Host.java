package dev.verbena.testing.program;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Direction;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RemoteRegion;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * A device as it ships and what a program does with it: an arena for its streams, a region with an area to copy from and one to land in for
 * each peer, methods that peers call, and what it was told of them.
 *
 * <p><b>Owner:</b> the program. <b>Threading:</b> the program's thread; callbacks come on any.
 */
public final class Host {
    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final long LOOK_NS = 1_000_000;
    private static final int AREA_BYTE_SIZE = 4_096;
    private static final int COPY_BYTE_SIZE = 3_000;
    private static final int AREAS = 8;
    private static final int REQUEST_BYTE_SIZE_MAX = 20_000;
    private static final int OFTEN_BYTE_SIZE_MAX = 200;

    private final World world;
    private final int number;
    private final RdmaDevice device;
    private final List<String> losses = new CopyOnWriteArrayList<>();
    private final AtomicIntegerArray copies = new AtomicIntegerArray(AREAS);
    private final AtomicInteger failedCopies = new AtomicInteger();
    private volatile boolean isClosing;
    private MemoryRegion region;
    private TensorArena arena;

    /** Takes charge of the device, and closes it if there is no memory. */
    public Host(World world, int number, RdmaDevice device, long arenaByteSize) {
        this.world = world;
        this.number = number;
        this.device = device;
        try {
            region = device.allocateRegion(2L * AREAS * AREA_BYTE_SIZE);
            arena = TensorArena.create(device.readableSlabSource(), 1 << 17, arenaByteSize);
        } catch (RuntimeException e) {
            if (region != null) {
                region.close();
            }
            device.close();
            throw e;
        }
        device.handle("reverse", (peer, request) -> reversed(request));
        device.handle("refuse", (peer, request) -> {
            throw new TransferException("not today");
        });
        device.onPeerLost(losses::add);
    }

    public RdmaDevice device() {
        return device;
    }

    public TensorArena arena() {
        return arena;
    }

    /** The losses it was told of. */
    public List<String> losses() {
        return losses;
    }

    /** The memory of a device whose streams have ended, and then the device itself. */
    public void close() {
        closeMemory();
        device.close();
    }

    /** Nothing that was allocated is left, as soon as no peer whose connection has failed writes to it any more. */
    public void closeMemory() {
        isClosing = true;
        for (long startNs = world.nowNs(); arena.statistics().liveCount() > 0
                && world.nowNs() - startNs < PATIENCE_NS;) {
            device.awaitActivity(device.activity(), LOOK_NS);
        }
        if (arena.statistics().liveCount() > 0) {
            world.violate(this + " still has " + arena.liveReport());
        }
        arena.close();
        region.close();
    }

    // ---- calls ----

    /** Calls a method that answers, or one that refuses, with a request of any length. */
    public void call(Endpoint remote, Duration timeout) {
        byte[] request = new byte[world.random()
                .nextInt(world.random().nextInt(8) == 0 ? REQUEST_BYTE_SIZE_MAX : OFTEN_BYTE_SIZE_MAX)];
        world.random().nextBytes(request);
        if (world.random().nextInt(4) > 0) {
            if (!Arrays.equals(reversed(request), device.call(remote, "reverse", request, timeout))) {
                world.violate("a call of " + this + " has a wrong answer");
            }
            return;
        }
        try {
            device.call(remote, "refuse", request, timeout);
            world.violate("a refused call of " + this + " was answered");
        } catch (TransferException e) {
            if (!e.getMessage().contains("not today")) {
                throw e;
            }
        }
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    // ---- copies: to a peer's area and back from there; each end of a copy is told of once ----

    /** Where that peer's copies land. */
    public RemoteRegion landing(int peer) {
        return new RemoteRegion(region.address() + landingOffset(peer), AREA_BYTE_SIZE, region.rkey());
    }

    private static long offset(int peer) {
        return (long) peer * AREA_BYTE_SIZE;
    }

    private static long landingOffset(int peer) {
        return (long) (AREAS + peer) * AREA_BYTE_SIZE;
    }

    public boolean isCopying(int peer) {
        return copies.get(peer) > 0;
    }

    /** Copies begun that have ended by a failure. */
    public int failedCopies() {
        return failedCopies.get();
    }

    /** Whether what was copied from that peer is there. */
    public boolean hasLanded(int peer, int seed) {
        return has(landingOffset(peer), seed);
    }

    /** Copies to the peer and, when that is done, back again; {@code whenThere} hears in between. */
    public void copy(Endpoint remote, int peer, RemoteRegion landing, int seed, Runnable whenThere) {
        RdmaChannel channel = device.channel(remote, 0);
        fill(peer, seed);
        copy(channel, peer, landing, Direction.LOCAL_TO_REMOTE, () -> {
            whenThere.run();
            fill(peer, 0);
            copy(channel, peer, landing, Direction.REMOTE_TO_LOCAL, () -> {
                if (!has(offset(peer), seed)) {
                    world.violate("a copy to " + this + " from d" + peer + " is done but not there");
                }
            });
        });
    }

    private void copy(RdmaChannel channel, int peer, RemoteRegion landing, Direction direction, Runnable then) {
        AtomicIntegerArray ends = new AtomicIntegerArray(1);
        copies.incrementAndGet(peer);
        SendResult result = SendResult.BACK_PRESSURED;
        try {
            result = channel.memcpy(region, offset(peer), landing, 0, COPY_BYTE_SIZE, direction, failure -> {
                if (ends.incrementAndGet(0) > 1) {
                    world.violate("a copy of " + this + " ended twice");
                } else if (failure != null) {
                    failedCopies.incrementAndGet();
                } else if (!isClosing) {
                    goOn(then);
                }
                copies.decrementAndGet(peer);
            });
        } finally {
            if (result == SendResult.BACK_PRESSURED) {
                copies.decrementAndGet(peer);
            }
        }
    }

    private static void goOn(Runnable then) {
        try {
            then.run();
        } catch (TransferException e) {
            return; // the connection has failed meanwhile
        }
    }

    private void fill(int peer, int seed) {
        for (int i = 0; i < COPY_BYTE_SIZE; i++) {
            region.memory().set(JAVA_BYTE, offset(peer) + i, content(seed, i));
        }
    }

    private boolean has(long offset, int seed) {
        for (int i = 0; i < COPY_BYTE_SIZE; i++) {
            if (region.memory().get(JAVA_BYTE, offset + i) != content(seed, i)) {
                return false;
            }
        }
        return true;
    }

    private static byte content(int seed, int index) {
        return (byte) (seed * 31 + index * 7);
    }

    /** After its end. */
    public void checkCopies() {
        for (int i = 0; i < AREAS; i++) {
            if (copies.get(i) != 0) {
                world.violate(this + " has copies=" + copies.get(i) + " that have not ended, to d" + i);
            }
        }
    }

    @Override
    public String toString() {
        return "d" + number;
    }
}
