package dev.verbena.benchmarks.transfer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;

/**
 * Tensors by Netty over a Unix socket, through its pooled direct buffers.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it; what arrives is taken, and where it is a tensor, computed, by Netty's thread.
 */
final class NettyEnd implements TensorEnd {
    private static final int PIECE_BYTE_SIZE = 1 << 20;
    private static final long PATIENCE_SECONDS = 60;

    private final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    /** Null where tensors are made. */
    private final Path folder;
    private Channel channel;
    private volatile Work work = Work.LAST;
    private Arena arena = Arena.ofShared();
    private volatile MemorySegment tensor;
    private final LinkedBlockingQueue<Float> results = new LinkedBlockingQueue<>();
    /** Tensors of which something was computed. */
    private final Semaphore computed = new Semaphore(0);
    private int number;

    NettyEnd(boolean isSender) throws IOException {
        if (isSender) {
            folder = null;
            return;
        }
        folder = Files.createTempDirectory("verbena-bench");
        new ServerBootstrap().group(threads).channel(NioServerDomainSocketChannel.class).childHandler(new Tensors())
                .bind(socketAddress()).syncUninterruptibly();
    }

    private SocketAddress socketAddress() {
        return UnixDomainSocketAddress.of(folder.resolve("socket"));
    }

    @Override
    public String address() {
        return folder == null ? "none" : folder.resolve("socket").toString();
    }

    @Override
    public void meet(String peer) {
        if (folder == null) {
            channel = new Bootstrap().group(threads).channel(NioDomainSocketChannel.class).handler(new Results())
                    .connect(UnixDomainSocketAddress.of(peer)).syncUninterruptibly().channel();
        }
    }

    @Override
    public void prepare(long count) {
        arena.close();
        arena = Arena.ofShared();
        tensor = arena.allocate(JAVA_FLOAT, count);
    }

    @Override
    public void open() throws InterruptedException {
        if (folder == null) {
            run(1);
        }
    }

    @Override
    public void begin(Work work) {
        this.work = work;
        computed.drainPermits();
    }

    @Override
    public void run(int tensors) throws InterruptedException {
        if (folder != null) {
            if (!computed.tryAcquire(tensors, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no tensor after " + PATIENCE_SECONDS + " s");
            }
            return;
        }
        for (int i = 0; i < tensors; i++) {
            Work.make(tensor, ++number);
            write(tensor.asByteBuffer());
            Float result = results.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (result == null) {
                throw new IllegalStateException("no result after " + PATIENCE_SECONDS + " s");
            }
            Work.check(result, number);
        }
    }

    private void write(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            int count = Math.min(bytes.remaining(), PIECE_BYTE_SIZE);
            ByteBuf piece = channel.alloc().directBuffer(count).writeBytes(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            channel.write(piece);
        }
        channel.flush();
    }

    /** Where tensors arrive: of one connection. */
    private final class Tensors extends ChannelInboundHandlerAdapter {
        private long arrived;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            int count = bytes.readableBytes();
            bytes.readBytes(tensor.asSlice(arrived, count).asByteBuffer());
            bytes.release();
            arrived += count;
            if (arrived == tensor.byteSize()) {
                arrived = 0;
                context.writeAndFlush(context.alloc().directBuffer(Float.BYTES).writeFloat(work.of(tensor)));
                computed.release();
            }
        }
    }

    /** Where they are made; a result is a word, which may come in parts. */
    private final class Results extends ChannelInboundHandlerAdapter {
        private int bits;
        private int arrived;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            while (bytes.isReadable()) {
                bits = bits << Byte.SIZE | bytes.readUnsignedByte();
                if (++arrived == Float.BYTES) {
                    arrived = 0;
                    results.add(Float.intBitsToFloat(bits));
                }
            }
            bytes.release();
        }
    }

    @Override
    public void close() throws IOException {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        if (folder != null) {
            Files.deleteIfExists(folder.resolve("socket"));
            Files.deleteIfExists(folder);
        }
        arena.close();
    }
}
