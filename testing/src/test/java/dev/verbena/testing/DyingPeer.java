package dev.verbena.testing;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/**
 * A process that does one thing again and again, until it kills itself by SIGKILL at a moment that a seed decides: arguments are the
 * survivor's port, the number in its name, what it does, and the seed.
 */
final class DyingPeer {
    /** What it does when it dies, and how late in that, at most. */
    enum Work {
        CONNECTING(300_000_000), PLACING(30_000_000), SENDING_SMALL(3_000_000), SENDING_LARGE(20_000_000), RECEIVING(
                5_000_000),
        CALLING(3_000_000), CLOSING(30_000_000);

        private final long latestNs;

        Work(long latestNs) {
            this.latestNs = latestNs;
        }
    }

    static final Shape SMALL = Shape.of(64);
    static final Shape LARGE = Shape.of(2 << 20);
    static final int DEPTH = 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int SIGKILL = 9;

    private final Endpoint survivor;
    private final String name;
    private final Work work;
    private final long dieAfterNs;
    private RdmaDevice device;
    private TensorArena arena;

    private DyingPeer(String[] arguments) {
        survivor = new Endpoint("127.0.0.1", Integer.parseInt(arguments[0]));
        name = arguments[1];
        work = Work.valueOf(arguments[2]);
        dieAfterNs = new Random(Long.parseLong(arguments[3])).nextLong(work.latestNs);
    }

    public static void main(String[] arguments) throws Throwable {
        new DyingPeer(arguments).run();
    }

    private void run() throws Throwable {
        MethodHandle kill = Linker.nativeLinker().downcallHandle(
                Linker.nativeLinker().defaultLookup().find("kill").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        int pid = (int) ProcessHandle.current().pid();
        Runnable death = () -> {
            LockSupport.parkNanos(dieAfterNs);
            try {
                int unused = (int) kill.invokeExact(pid, SIGKILL);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        };
        Runnable begins = () -> Thread.ofPlatform().start(death);
        if (work == Work.CONNECTING) {
            begins.run();
        }
        device = RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName(name));
        arena = TensorArena.create(device.slabSource(), 8 << 20, 16 << 20);
        RdmaChannel channel = device.channel(survivor, 0);
        if (work == Work.PLACING) {
            begins.run();
        }
        TensorSender small = channel.sender("small of " + name, ElementType.UINT8, SMALL, TIMEOUT);
        TensorSender large = channel.sender("large of " + name, ElementType.UINT8, LARGE, TIMEOUT);
        switch (work) {
            case CONNECTING, PLACING -> Thread.sleep(TIMEOUT);
            case SENDING_SMALL -> send(small, SMALL, begins);
            case SENDING_LARGE -> send(large, LARGE, begins);
            case RECEIVING -> receive(begins);
            case CALLING -> call(begins);
            case CLOSING -> {
                begins.run();
                small.close();
                large.close();
                device.close();
                Thread.sleep(TIMEOUT);
            }
        }
    }

    private void send(TensorSender sender, Shape shape, Runnable begins) throws InterruptedException {
        begins.run();
        for (byte value = 1;; value++) {
            try (Tensor tensor = arena.allocate(ElementType.UINT8, shape, TIMEOUT)) {
                tensor.memory().fill(value);
                sender.send(tensor, TIMEOUT);
            }
        }
    }

    private void receive(Runnable begins) {
        TensorReceiver receiver = device.receiver("back to " + name, arena, ElementType.UINT8, SMALL, DEPTH);
        device.call(survivor, "meet", (name + " " + device.endpoint().port()).getBytes(StandardCharsets.UTF_8),
                TIMEOUT);
        receiver.poll(TIMEOUT).close();
        begins.run();
        while (true) {
            receiver.poll(TIMEOUT).close();
        }
    }

    private void call(Runnable begins) {
        begins.run();
        for (int length = 1;; length = length * 3 % 40_000 + 1) {
            device.call(survivor, "echo", new byte[length], TIMEOUT);
        }
    }
}
