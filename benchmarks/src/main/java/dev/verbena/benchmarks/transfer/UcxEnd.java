package dev.verbena.benchmarks.transfer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Properties;

import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.openucx.jucx.ucs.UcsConstants;

/**
 * Tensors by UCX's Java binding: tagged messages over the transports that UCX picks, which on one machine are its shared memory, from and into memory that is
 * registered once, and workers whose thread does nothing but let them progress.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it.
 */
final class UcxEnd implements TensorEnd {
    private static final String PROPERTIES = "/META-INF/maven/org.openucx/jucx/pom.properties";
    private static final long TENSOR_TAG = 1;
    private static final long RESULT_TAG = 2;
    private static final long ALL_OF_A_TAG = -1;

    private final boolean isSender;
    private final UcpContext context;
    private final UcpWorker worker;
    private UcpEndpoint to;
    private Work work = Work.LAST;
    private Arena arena = Arena.ofConfined();
    private Registered tensor;
    private final Registered result;
    private int number;

    UcxEnd(boolean isSender) {
        this.isSender = isSender;
        try {
            context = new UcpContext(new UcpParams().requestTagFeature());
        } catch (LinkageError | UcxException e) {
            throw new IllegalStateException("jucx cannot be loaded; it needs UCX's libraries: apt-get install libucx0 ("
                    + e.getMessage() + ")", e);
        }
        worker = context.newWorker(new UcpWorkerParams());
        result = new Registered(Arena.global().allocate(JAVA_FLOAT));
    }

    /** Of the binding, as its jar says. */
    static String version() throws IOException {
        Properties properties = new Properties();
        try (InputStream from = UcpContext.class.getResourceAsStream(PROPERTIES)) {
            properties.load(from);
        }
        return properties.getProperty("version");
    }

    /** Memory that UCX knows. */
    private final class Registered {
        private final MemorySegment memory;
        private final UcpMemory handle;
        /** An older UCX than jucx was built for wants to be told what kind it is. */
        private final UcpRequestParams parameters;

        Registered(MemorySegment memory) {
            this.memory = memory;
            handle = context
                    .memoryMap(new UcpMemMapParams().setAddress(memory.address()).setLength(memory.byteSize()));
            parameters = new UcpRequestParams().setMemoryHandle(handle)
                    .setMemoryType(UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST);
        }

        UcpRequest send(long tag) {
            return to.sendTaggedNonBlocking(memory.address(), memory.byteSize(), tag, null, parameters);
        }

        UcpRequest receive(long tag) {
            return worker.recvTaggedNonBlocking(memory.address(), memory.byteSize(), tag, ALL_OF_A_TAG, null,
                    parameters);
        }
    }

    @Override
    public String address() {
        ByteBuffer address = worker.getAddress();
        byte[] bytes = new byte[address.remaining()];
        address.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public void meet(String peer) {
        byte[] bytes = HexFormat.of().parseHex(peer);
        to = worker.newEndpoint(
                new UcpEndpointParams().setUcpAddress(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip()));
    }

    @Override
    public void prepare(long count) {
        if (tensor != null) {
            tensor.handle.deregister();
        }
        arena.close();
        arena = Arena.ofConfined();
        tensor = new Registered(arena.allocate(JAVA_FLOAT, count));
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
            if (isSender) {
                Work.make(tensor.memory, ++number);
                UcpRequest answer = result.receive(RESULT_TAG);
                await(tensor.send(TENSOR_TAG));
                await(answer);
                Work.check(result.memory.get(JAVA_FLOAT, 0), number);
            } else {
                await(tensor.receive(TENSOR_TAG));
                result.memory.set(JAVA_FLOAT, 0, work.of(tensor.memory));
                await(result.send(RESULT_TAG));
            }
        }
    }

    private void await(UcpRequest request) {
        long beginNs = System.nanoTime();
        for (int round = 1; !request.isCompleted(); round++) {
            if (progress() == 0) {
                SpinWait.once(beginNs, round);
            }
        }
        if (request.getStatus() != UcsConstants.STATUS.UCS_OK) {
            throw new IllegalStateException("UCX's request has status=" + request.getStatus());
        }
    }

    private int progress() {
        try {
            return worker.progress();
        } catch (Exception e) {
            throw new IllegalStateException("UCX's worker: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        // With the process: what the other end may still be told is nobody's business any more.
    }
}
