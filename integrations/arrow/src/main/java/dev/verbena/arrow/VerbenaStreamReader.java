package dev.verbena.arrow;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.ArrowBodyCompression;
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.DynamicTensorReceiver;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;

/**
 * Reads the batches of a {@link VerbenaStreamWriter}, as Arrow's own reader does from a stream; but each buffer is read from where it
 * lies into memory of an arena, and that is what the vectors have.
 *
 * <p>One that borrows ({@link #openBorrowing}) leaves a lent batch where it lies: its vectors are in the writer's memory, mapped here for reading only.
 * Arrow checks no write to them; one ends the process by SIGSEGV.
 *
 * <p>Waits for what has not come up to the timeout: {@link TransferException} then, and when the peer is lost. What does not fit together
 * is an {@link IOException}; a writer that was closed without an end is a {@link TransferException} behind its last batch. An allocator that may not have so much throws Arrow's {@code OutOfMemoryException}, and the batch is lost.
 *
 * <p><b>Owner:</b> who opened it; closes it before its allocator, its arena, and the device. <b>Threading:</b> confined to its owner.
 */
public final class VerbenaStreamReader extends ArrowReader {
    private final DynamicTensorReceiver receiver;
    private final String name;
    private final Duration timeout;
    private long bytesRead;
    private boolean isAtEnd;

    private VerbenaStreamReader(BufferAllocator allocator, DynamicTensorReceiver receiver, String name,
            Duration timeout, CompressionCodec.Factory compression) {
        super(allocator, compression);
        this.receiver = receiver;
        this.name = name;
        this.timeout = timeout;
    }

    /**
     * One that a writer finds by its name.
     *
     * @param allocator what counts the buffers; it allocates only what decompressing needs
     * @param arena over a slab source of this device; buffers are in it from their arrival until they are released
     * @param depth buffers that are read ahead, besides those of batches that were loaded
     * @param timeout for each batch to come
     * @throws IllegalArgumentException if the name is taken or the arena's memory is not registered with the device
     */
    public static VerbenaStreamReader open(BufferAllocator allocator, RdmaDevice device, String name,
            TensorArena arena, int depth, Duration timeout) {
        return new VerbenaStreamReader(allocator,
                device.dynamicReceiver(name, arena, depth, VerbenaStreamWriter.AGREEMENT), name, timeout,
                NoCompressionCodec.Factory.INSTANCE);
    }

    /** The same, of a {@link VerbenaStreamWriter#openCompressing}; what is decompressed lies where the allocator has it. */
    public static VerbenaStreamReader openDecompressing(BufferAllocator allocator, RdmaDevice device, String name,
            TensorArena arena, int depth, CompressionCodec.Factory compression, Duration timeout) {
        return new VerbenaStreamReader(allocator,
                device.dynamicReceiver(name, arena, depth, VerbenaStreamWriter.AGREEMENT), name, timeout, compression);
    }

    /**
     * The same, for writers that lend, {@link VerbenaStreamWriter#openLending}, and for others. What is lent the allocator counts too; it goes back when
     * its last reference is released.
     *
     * @param arena for what is not lent: dictionaries, and everything where the fabric maps no memory of peers
     */
    public static VerbenaStreamReader openBorrowing(BufferAllocator allocator, RdmaDevice device, String name,
            TensorArena arena, int depth, Duration timeout) {
        return new VerbenaStreamReader(allocator,
                device.borrowingReceiver(name, arena, depth, VerbenaStreamWriter.AGREEMENT), name, timeout,
                NoCompressionCodec.Factory.INSTANCE);
    }

    /** Whether batches lie where their writer has them; false before there is a writer. */
    public boolean borrows() {
        return receiver.borrows();
    }

    @Override
    protected Schema readSchema() throws IOException {
        return MessageSerializer.deserializeSchema(
                new ReadChannel(Channels.newChannel(new ByteArrayInputStream(takeBytes()))));
    }

    @Override
    public boolean loadNextBatch() throws IOException {
        prepareLoadNextBatch();
        while (!isAtEnd) {
            try (Tensor metadata = take()) {
                if (metadata.byteSize() == 0) {
                    isAtEnd = true;
                } else if (load(metadata.asByteBuffer())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether it was a batch, and no dictionary of one that comes. */
    private boolean load(ByteBuffer metadata) throws IOException {
        Message message = Message.getRootAsMessage(metadata);
        switch (message.headerType()) {
            case MessageHeader.RecordBatch -> {
                ArrowRecordBatch batch = take((RecordBatch) message.header(new RecordBatch()));
                whileHeld(batch, () -> loadRecordBatch(batch));
                return true;
            }
            case MessageHeader.DictionaryBatch -> {
                DictionaryBatch dictionary = (DictionaryBatch) message.header(new DictionaryBatch());
                ArrowRecordBatch batch = take(dictionary.data());
                whileHeld(batch, () -> loadDictionary(
                        new ArrowDictionaryBatch(dictionary.id(), batch, dictionary.isDelta())));
                return false;
            }
            default -> throw new IOException("stream '" + name + "' of " + receiver.senderName()
                    + ": neither a batch nor a dictionary, but a message of type=" + message.headerType());
        }
    }

    /**
     * Where Arrow's loader decompresses, it gives a compressed buffer up first and retains it afterwards: good for slices of one body, not for a
     * buffer that is alone.
     */
    private static void whileHeld(ArrowRecordBatch batch, Runnable loading) {
        List<ArrowBuf> held = batch.getBodyCompression().getCodec() == NoCompressionCodec.COMPRESSION_TYPE
                ? List.of()
                : batch.getBuffers();
        held.forEach(each -> each.getReferenceManager().retain());
        try {
            loading.run();
        } finally {
            held.forEach(each -> each.getReferenceManager().release());
        }
    }

    /** With its buffers, which are next. */
    private ArrowRecordBatch take(RecordBatch batch) throws IOException {
        List<ArrowFieldNode> nodes = new ArrayList<>();
        for (int i = 0; i < batch.nodesLength(); i++) {
            FieldNode node = batch.nodes(i);
            nodes.add(new ArrowFieldNode(node.length(), node.nullCount()));
        }
        List<Long> variadicBufferCounts = new ArrayList<>();
        for (int i = 0; i < batch.variadicBufferCountsLength(); i++) {
            variadicBufferCounts.add(batch.variadicBufferCounts(i));
        }
        List<ArrowBuf> buffers = new ArrayList<>();
        boolean isWhole = false;
        try {
            for (int i = 0; i < batch.buffersLength(); i++) {
                buffers.add(takeBuffer(batch.buffers(i).length()));
            }
            ArrowRecordBatch whole = new ArrowRecordBatch(Math.toIntExact(batch.length()), nodes, buffers,
                    compressionOf(batch), variadicBufferCounts, true, false);
            isWhole = true;
            return whole;
        } catch (ArithmeticException e) {
            throw new IOException(
                    "stream '" + name + "': a batch of rows=" + batch.length() + ", beyond Arrow's 2^31 - 1",
                    e);
        } finally {
            if (!isWhole) {
                buffers.forEach(ArrowBuf::close);
            }
        }
    }

    private static ArrowBodyCompression compressionOf(RecordBatch batch) {
        return batch.compression() == null ? NoCompressionCodec.DEFAULT_BODY_COMPRESSION
                : new ArrowBodyCompression(batch.compression().codec(), batch.compression().method());
    }

    private ArrowBuf takeBuffer(long byteSize) throws IOException {
        if (byteSize == 0) {
            return allocator.getEmpty();
        }
        TensorLease lease;
        try (Tensor tensor = take()) {
            if (tensor.byteSize() != byteSize) {
                throw new IOException("stream '" + name + "' of " + receiver.senderName() + ": a buffer of byteSize="
                        + byteSize + " should come, but " + tensor + " came");
            }
            lease = TensorLease.of(tensor);
        }
        boolean isWrapped = false;
        try {
            ArrowBuf buffer = allocator.wrapForeignAllocation(new Received(lease));
            isWrapped = true;
            return buffer;
        } finally {
            if (!isWrapped) {
                lease.release();
            }
        }
    }

    /** What Arrow frees, perhaps when it fails to wrap it too. */
    private static final class Received extends ForeignAllocation {
        private final TensorLease lease;

        Received(TensorLease lease) {
            super(lease.byteSize(), lease.address());
            this.lease = lease;
        }

        @Override
        protected void release0() {
            lease.release();
        }
    }

    private byte[] takeBytes() {
        try (Tensor tensor = take()) {
            byte[] bytes = new byte[Math.toIntExact(tensor.byteSize())];
            tensor.asByteBuffer().get(bytes);
            return bytes;
        }
    }

    private Tensor take() {
        Tensor tensor;
        try {
            tensor = receiver.poll(timeout);
        } catch (TransferException e) {
            throw new TransferException(
                    "stream '" + name + "' of " + receiver.senderName() + " was cut short: " + e.getMessage(), e);
        }
        if (tensor == null) {
            throw new TransferException("stream '" + name + "' has waited " + timeout + " for "
                    + receiver.senderName());
        }
        bytesRead += tensor.byteSize();
        return tensor;
    }

    /** Bytes of meta-data and of buffers. */
    @Override
    public long bytesRead() {
        return bytesRead;
    }

    @Override
    protected void closeReadSource() {
        receiver.close();
    }
}
