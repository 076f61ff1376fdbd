package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_gid_entry;

/**
 * An entry of a port's GID table: an address of the port that a queue pair can send from.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param index in the table
 * @param gid the address
 * @param type how packets from it are addressed
 * @param networkInterfaceIndex of the network interface it belongs to, as {@code ip link} numbers them; 0 for none
 *
 * <p>Source: struct ibv_gid_entry, ibv_query_gid_table(3).
 */
public record GidEntry(int index, Gid gid, GidType type, int networkInterfaceIndex) {
    static GidEntry of(MemorySegment entry) {
        return new GidEntry(ibv_gid_entry.gid_index(entry), Gid.read(ibv_gid_entry.gid(entry)),
                GidType.of(ibv_gid_entry.gid_type(entry)), ibv_gid_entry.ndev_ifindex(entry));
    }
}
