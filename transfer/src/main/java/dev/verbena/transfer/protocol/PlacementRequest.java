package dev.verbena.transfer.protocol;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.TransferException;

/**
 * A sender asks for the slots of a name.
 *
 * @param protocol that the sender speaks over the slots
 * @param name of the edge
 * @param type of the tensors it will send
 * @param shape of the tensors it will send
 * @param senderId the sender's number on its device, by which the receiver calls it when it closes
 * @param queuePairIndex data queue pair that it will write through, or its stripe 0
 * @param stripes of a tensor, over as many queue pairs from there on, round about
 * @param writesInOrder whether the sender's ends of those know that writes land in order
 * @param acknowledgementAddress where the receiver writes how many tensors it has consumed
 * @param acknowledgementRkey the key for that
 * @param agreement what the receiver must have been made for too; empty for nothing
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record PlacementRequest(PlacementProtocol protocol, String name, ElementType type, Shape shape, int senderId,
        int queuePairIndex, int stripes, boolean writesInOrder,
        long acknowledgementAddress, long acknowledgementRkey, String agreement) {
    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(protocol.ordinal());
            out.writeUTF(name);
            out.writeByte(type.code());
            out.writeByte(shape.rank());
            for (long dimension : shape.dimensions()) {
                out.writeLong(dimension);
            }
            out.writeInt(senderId);
            out.writeInt(queuePairIndex);
            out.writeInt(stripes);
            out.writeBoolean(writesInOrder);
            out.writeLong(acknowledgementAddress);
            out.writeLong(acknowledgementRkey);
            out.writeUTF(agreement);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static PlacementRequest decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            PlacementProtocol protocol = PlacementProtocol.values()[in.readUnsignedByte()];
            String name = in.readUTF();
            ElementType type = ElementType.ofCode(in.readUnsignedByte());
            long[] dimensions = new long[in.readUnsignedByte()];
            for (int i = 0; i < dimensions.length; i++) {
                dimensions[i] = in.readLong();
            }
            PlacementRequest request = new PlacementRequest(protocol, name, type, Shape.of(dimensions), in.readInt(),
                    in.readInt(), in.readInt(), in.readBoolean(), in.readLong(), in.readLong(), in.readUTF());
            if (in.available() != 0) {
                throw new IOException(in.available() + " bytes too many");
            }
            return request;
        } catch (IOException | RuntimeException e) {
            throw new TransferException("malformed placement request: " + e, e);
        }
    }
}
