package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_cq_moderation_caps;
import dev.verbena.verbs.abi.ibv_device_attr_ex;
import dev.verbena.verbs.abi.ibv_odp_caps;

/**
 * What a newer kernel says of a device besides {@link DeviceAttributes}; zeros where it does not say.
 *
 * @param limits as in {@link DeviceAttributes}
 * @param capabilityFlags device_cap_flags_ex
 * @param timestampMask the bits of a completion's timestamp that count; 0 where completions have none
 * @param timestampClockKhz ticks of that clock in a millisecond
 * @param hasOnDemandPaging whether memory can be registered ON_DEMAND
 * @param hasImplicitOnDemandPaging whether all of the address space can be, at once
 * @param onDemandReliableConnected what a reliable connection can do with such memory
 * @param onDemandUnreliableConnected likewise
 * @param onDemandUnreliableDatagram likewise
 * @param moderationCountMax completions that an event may wait for; see {@link CompletionQueue#moderate}
 * @param moderationPeriodUsMax how long it may wait
 * @param deviceMemoryByteSize memory on the device that can be registered
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_query_device_ex(3).
 */
public record ExtendedDeviceAttributes(DeviceLimits limits, long capabilityFlags, long timestampMask,
        long timestampClockKhz, boolean hasOnDemandPaging, boolean hasImplicitOnDemandPaging,
        Set<OnDemandOperation> onDemandReliableConnected, Set<OnDemandOperation> onDemandUnreliableConnected,
        Set<OnDemandOperation> onDemandUnreliableDatagram, int moderationCountMax, int moderationPeriodUsMax,
        long deviceMemoryByteSize) {
    /** Copies the three sets, which hold no null. */
    public ExtendedDeviceAttributes {
        onDemandReliableConnected = Set.copyOf(onDemandReliableConnected);
        onDemandUnreliableConnected = Set.copyOf(onDemandUnreliableConnected);
        onDemandUnreliableDatagram = Set.copyOf(onDemandUnreliableDatagram);
    }

    static ExtendedDeviceAttributes of(MemorySegment attributes) {
        MemorySegment paging = ibv_device_attr_ex.odp_caps(attributes);
        long general = ibv_odp_caps.general_caps(paging);
        MemorySegment transports = ibv_odp_caps.per_transport_caps(paging);
        MemorySegment moderation = ibv_device_attr_ex.cq_mod_caps(attributes);
        return new ExtendedDeviceAttributes(DeviceLimits.of(ibv_device_attr_ex.orig_attr(attributes)),
                ibv_device_attr_ex.device_cap_flags_ex(attributes),
                ibv_device_attr_ex.completion_timestamp_mask(attributes),
                ibv_device_attr_ex.hca_core_clock(attributes), (general & IBV_ODP_SUPPORT()) != 0,
                (general & IBV_ODP_SUPPORT_IMPLICIT()) != 0,
                OnDemandOperation.of(ibv_odp_caps.per_transport_caps.rc_odp_caps(transports)),
                OnDemandOperation.of(ibv_odp_caps.per_transport_caps.uc_odp_caps(transports)),
                OnDemandOperation.of(ibv_odp_caps.per_transport_caps.ud_odp_caps(transports)),
                Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_count(moderation)),
                Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_period(moderation)),
                ibv_device_attr_ex.max_dm_size(attributes));
    }
}
