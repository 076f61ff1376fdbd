package dev.verbena.transfer.fabric.shm;

import static dev.verbena.transfer.fabric.control.Fields.checkFabric;
import static dev.verbena.transfer.fabric.control.Fields.endpoint;
import static dev.verbena.transfer.fabric.control.Fields.inRange;
import static dev.verbena.transfer.fabric.control.Fields.putEndpoint;
import static dev.verbena.transfer.fabric.control.Fields.putText;
import static dev.verbena.transfer.fabric.control.Fields.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;

/**
 * Who one side is and where its shared memory is found; payload of HELLO and WELCOME.
 *
 * @param machine the kernel's boot id
 * @param name that the process gave itself
 * @param knock the number with which who connects has handed its files over; {@link Door#NO_NUMBER} of who accepts
 * @param listening where it listens; port 0 if it does not
 * @param fabricFile {@link FabricFile}
 * @param regionTable {@link RegionTable}
 * @param linkFile {@link LinkFile} for this connection
 * @param receiveDepths of each queue pair
 * @param doorbells of each queue pair's completion queue
 */
record Hello(String machine, String name, long knock, Endpoint listening,
        FileIdentity fabricFile, FileIdentity regionTable, FileIdentity linkFile, int[] receiveDepths,
        int[] doorbells) {

    static String thisMachine() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("/proc cannot be read; is it mounted?", e);
        }
    }

    /** Why these two cannot share memory, seen from this one's side, or null. */
    String refusal(Hello other) {
        if (!other.machine.equals(machine)) {
            return "it runs on another machine; fabric 'shm' works within one machine, use --fabric verbs";
        }
        return null;
    }

    ByteBuffer encode() {
        ByteBuffer buffer = ByteBuffer.allocate(Frame.PAYLOAD_BYTE_SIZE_MAX);
        putText(buffer, ShmFabric.NAME);
        putText(buffer, machine);
        putText(buffer, name);
        buffer.putLong(knock);
        putEndpoint(buffer, listening);
        putFile(buffer, fabricFile);
        putFile(buffer, regionTable);
        putFile(buffer, linkFile);
        buffer.putInt(receiveDepths.length);
        for (int i = 0; i < receiveDepths.length; i++) {
            buffer.putInt(receiveDepths[i]).putInt(doorbells[i]);
        }
        return buffer.flip();
    }

    static Hello decode(ByteBuffer buffer) throws ProtocolException {
        try {
            checkFabric(buffer, ShmFabric.NAME);
            Hello hello = new Hello(text(buffer), text(buffer), buffer.getLong(),
                    endpoint(buffer), file(buffer), file(buffer), file(buffer), new int[queuePairCount(buffer)],
                    new int[buffer.remaining() / 8]);
            for (int i = 0; i < hello.receiveDepths.length; i++) {
                hello.receiveDepths[i] = inRange(buffer.getInt(), 1, ShmFabric.DEPTH_MAX);
                hello.doorbells[i] = inRange(buffer.getInt(), 0, FabricFile.DOORBELL_COUNT - 1);
                if (Integer.bitCount(hello.receiveDepths[i]) != 1) {
                    throw new ProtocolException("malformed handshake: receiveDepth=" + hello.receiveDepths[i]);
                }
            }
            if (buffer.hasRemaining()) {
                throw new ProtocolException("malformed handshake: " + buffer.remaining() + " bytes too many");
            }
            return hello;
        } catch (BufferUnderflowException e) {
            throw new ProtocolException("malformed handshake: too short");
        }
    }

    private static int queuePairCount(ByteBuffer buffer) throws ProtocolException {
        int count = inRange(buffer.getInt(), 1, ShmFabric.QUEUE_PAIRS_MAX);
        inRange(buffer.remaining(), 8 * count, 8 * count);
        return count;
    }

    private static void putFile(ByteBuffer buffer, FileIdentity file) {
        buffer.putInt(file.fd()).putLong(file.device()).putLong(file.inode());
    }

    private static FileIdentity file(ByteBuffer buffer) {
        return new FileIdentity(buffer.getInt(), buffer.getLong(), buffer.getLong());
    }
}
