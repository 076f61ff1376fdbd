package dev.verbena.benchmarks.transfer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tensors through a Unix socket, from the tensor's memory and into it.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it.
 */
final class SocketEnd implements TensorEnd {
    private final Path folder;
    private final ServerSocketChannel server;
    private SocketChannel channel;
    private Arena arena = Arena.ofConfined();
    private MemorySegment tensor;
    private final MemorySegment result = Arena.ofAuto().allocate(JAVA_FLOAT);
    private Work work = Work.LAST;
    private int number;

    SocketEnd(boolean isSender) throws IOException {
        if (isSender) {
            folder = null;
            server = null;
        } else {
            folder = Files.createTempDirectory("verbena-bench");
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
        }
    }

    @Override
    public String address() {
        return server == null ? "none" : folder.resolve("socket").toString();
    }

    @Override
    public void meet(String peer) throws IOException {
        if (server != null) {
            channel = server.accept();
            // Nobody else comes; and whatever becomes of this process, nothing is left.
            Files.delete(folder.resolve("socket"));
            Files.delete(folder);
        } else {
            channel = SocketChannel.open(UnixDomainSocketAddress.of(peer));
        }
    }

    @Override
    public void prepare(long count) {
        arena.close();
        arena = Arena.ofConfined();
        tensor = arena.allocate(JAVA_FLOAT, count);
    }

    @Override
    public void open() throws IOException {
        run(1);
    }

    @Override
    public void begin(Work work) {
        this.work = work;
    }

    @Override
    public void run(int tensors) throws IOException {
        for (int i = 0; i < tensors; i++) {
            if (server != null) {
                read(tensor);
                result.set(JAVA_FLOAT, 0, work.of(tensor));
                write(result);
            } else {
                Work.make(tensor, ++number);
                write(tensor);
                read(result);
                Work.check(result.get(JAVA_FLOAT, 0), number);
            }
        }
    }

    private void write(MemorySegment memory) throws IOException {
        for (ByteBuffer bytes = memory.asByteBuffer(); bytes.hasRemaining();) {
            channel.write(bytes);
        }
    }

    private void read(MemorySegment memory) throws IOException {
        for (ByteBuffer bytes = memory.asByteBuffer(); bytes.hasRemaining();) {
            if (channel.read(bytes) < 0) {
                throw new EOFException("the other end has closed");
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        if (server != null) {
            server.close();
        }
        arena.close();
    }
}
