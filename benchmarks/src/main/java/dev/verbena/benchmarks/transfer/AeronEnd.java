package dev.verbena.benchmarks.transfer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;

/**
 * Tensors by Aeron over shared memory (IPC), through a log of 64 MiB terms, in its largest frames. Its driver, which moves no bytes here, has a thread in the
 * process where tensors arrive, and sleeps.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it.
 */
final class AeronEnd implements TensorEnd {
    private static final int TENSORS = 1;
    private static final int RESULTS = 2;
    private static final int TERM_BYTE_SIZE = 64 << 20;
    /** The largest that Aeron has. */
    private static final int FRAME_BYTE_SIZE = 65_504;
    private static final int FRAGMENTS = 64;

    /** Null where tensors are made. */
    private final MediaDriver driver;
    private Aeron aeron;
    private Publication to;
    private Subscription from;
    private Work work = Work.LAST;
    private Arena arena = Arena.ofConfined();
    private MemorySegment tensor;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer result = new UnsafeBuffer(new byte[Float.BYTES]);
    private final FragmentHandler onTensor = this::onTensor;
    private final FragmentHandler onResult = this::onResult;
    private int arrived;
    private int number;

    AeronEnd(boolean isSender) {
        driver = isSender ? null
                : MediaDriver.launch(new MediaDriver.Context()
                        .aeronDirectoryName(CommonContext.generateRandomDirName()).dirDeleteOnStart(true)
                        .dirDeleteOnShutdown(true).threadingMode(ThreadingMode.SHARED)
                        .sharedIdleStrategy(new SleepingMillisIdleStrategy(1)).ipcTermBufferLength(TERM_BYTE_SIZE)
                        .ipcMtuLength(FRAME_BYTE_SIZE));
        if (driver != null) {
            connect(driver.aeronDirectoryName());
        }
    }

    private void connect(String folder) {
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(folder));
        to = aeron.addPublication(CommonContext.IPC_CHANNEL, driver == null ? TENSORS : RESULTS);
        from = aeron.addSubscription(CommonContext.IPC_CHANNEL, driver == null ? RESULTS : TENSORS);
    }

    @Override
    public String address() {
        return driver == null ? "none" : driver.aeronDirectoryName();
    }

    @Override
    public void meet(String peer) {
        if (driver == null) {
            connect(peer);
        }
    }

    @Override
    public void prepare(long count) {
        arena.close();
        arena = Arena.ofConfined();
        tensor = arena.allocate(JAVA_FLOAT, count);
        buffer.wrap(tensor.address(), Math.toIntExact(tensor.byteSize()));
    }

    @Override
    public void open() {
        run(1);
    }

    @Override
    public void begin(Work work) {
        this.work = work;
    }

    @Override
    public void run(int tensors) {
        for (int i = 0; i < tensors; i++) {
            if (driver != null) {
                poll(onTensor, tensor.byteSize());
                arrived = 0;
                result.putFloat(0, work.of(tensor));
                offer(result);
            } else {
                Work.make(tensor, ++number);
                offer(buffer);
                poll(onResult, Float.BYTES);
                arrived = 0;
                Work.check(result.getFloat(0), number);
            }
        }
    }

    /** In messages of at most what Aeron takes; it sees to it that they arrive in order. */
    private void offer(DirectBuffer bytes) {
        int offset = 0;
        while (offset < bytes.capacity()) {
            int length = Math.min(to.maxMessageLength(), bytes.capacity() - offset);
            long beginNs = System.nanoTime();
            for (int round = 1; to.offer(bytes, offset, length) < 0; round++) {
                SpinWait.once(beginNs, round);
            }
            offset += length;
        }
    }

    private void poll(FragmentHandler handler, long byteSize) {
        long beginNs = System.nanoTime();
        for (int round = 1; arrived < byteSize; round++) {
            if (from.poll(handler, FRAGMENTS) == 0) {
                SpinWait.once(beginNs, round);
            } else {
                round = 0;
            }
        }
    }

    private void onTensor(DirectBuffer bytes, int offset, int length, Header header) {
        buffer.putBytes(arrived, bytes, offset, length);
        arrived += length;
    }

    private void onResult(DirectBuffer bytes, int offset, int length, Header header) {
        result.putBytes(arrived, bytes, offset, length);
        arrived += length;
    }

    @Override
    public void close() {
        if (aeron != null) {
            aeron.close();
        }
        if (driver != null) {
            driver.close();
        }
        arena.close();
    }
}
