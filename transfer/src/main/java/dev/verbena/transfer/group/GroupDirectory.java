package dev.verbena.transfer.group;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ConcurrentHashMap;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.RpcMethods;

/**
 * The groups of a device by name, for members that tell why their group has failed.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class GroupDirectory {
    static final String FAILED = "verbena.group.failed";
    private static final byte[] HEARD = {};
    /** As much as an error of the RPC has. */
    private static final int CAUSE_LENGTH_MAX = 1000;

    private final ConcurrentHashMap<String, Collectives> groups = new ConcurrentHashMap<>();

    /** An empty one, told through these methods. */
    public GroupDirectory(RpcMethods methods) {
        methods.add(FAILED, this::onFailed);
    }

    void add(Collectives group) {
        if (groups.putIfAbsent(group.name(), group) != null) {
            throw new IllegalArgumentException("group '" + group.name() + "' exists already on this device");
        }
    }

    void remove(Collectives group) {
        groups.remove(group.name(), group);
    }

    static byte[] failed(String group, int rank, String cause) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(group);
            out.writeInt(rank);
            out.writeUTF(cause.substring(0, Math.min(cause.length(), CAUSE_LENGTH_MAX)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private byte[] onFailed(PeerConnection peer, byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            Collectives group = groups.get(in.readUTF());
            int rank = in.readInt();
            if (group != null) {
                group.onTold(rank, peer, in.readUTF());
            }
        } catch (IOException e) {
            throw new TransferException("malformed failure of a group: " + e, e);
        }
        return HEARD;
    }
}
