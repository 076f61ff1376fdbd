package dev.verbena.graph.run.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.Tensor;
import dev.verbena.trace.SiteState;
import dev.verbena.trace.TracedNode;
import dev.verbena.trace.Tracer;
import dev.verbena.trace.TracerOptions;

/**
 * A session's tracer. With tracing off it hears nothing, and all that is sent is copied (the paper's RDMA.cp).
 *
 * <p>Of an iteration's storage only variables outlive it, so nobody has to tell what is freed.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> told of allocations from any thread that runs a kernel; of everything else from the
 * session's thread.
 */
public final class SessionTracer {
    private static final Logger LOG = LoggerFactory.getLogger(SessionTracer.class);

    private final boolean enabled;
    private final Tracer tracer;
    /** Null if what is learned is not kept. */
    private final Path file;

    /**
     * @param file in which what is learned is kept; null if it is not
     * @throws UncheckedIOException if there is a saved trace that cannot be read
     */
    public SessionTracer(boolean enabled, Path file) {
        this.enabled = enabled;
        this.file = enabled ? file : null;
        try {
            tracer = enabled && file != null && Files.exists(file)
                    ? Tracer.load(file, TracerOptions.defaults())
                    : Tracer.create(TracerOptions.defaults());
        } catch (IOException e) {
            throw new UncheckedIOException("the saved trace cannot be read: " + e.getMessage(), e);
        }
    }

    public boolean isEnabled() {
        return enabled;
    }

    public TracedNode node(String name) {
        return tracer.node(name);
    }

    public void beginIteration() {
        if (enabled) {
            tracer.freedAll();
        }
    }

    boolean isRegistered(TracedNode node, long byteSize) {
        return enabled && node.isRegistered(byteSize);
    }

    void allocated(TracedNode node, Tensor tensor) {
        if (enabled) {
            node.allocated(tensor.address(), tensor.byteSize());
        }
    }

    /** A variable, in a later iteration than the one that it was allocated in. */
    void kept(TracedNode node, Tensor tensor) {
        if (enabled) {
            node.kept(tensor.address(), tensor.byteSize());
        }
    }

    boolean reuse(TracedNode node, Tensor input, boolean isRegistered) {
        return !enabled || node.reuse(input.address(), isRegistered);
    }

    public void sent(Tensor tensor, boolean copied) {
        if (enabled) {
            tracer.sent(tensor.address(), copied);
        }
    }

    /** Memory in which something else may have been before, in the same iteration. */
    public void received(Tensor tensor) {
        if (enabled) {
            tracer.received(tensor.address(), tensor.byteSize());
        }
    }

    /** @return whether other sites are registered from now on */
    public boolean endIteration() {
        boolean changes = enabled && tracer.endIteration();
        if (changes && file != null) {
            save();
        }
        return changes;
    }

    /** A session that cannot keep what it has learned works all the same. */
    private void save() {
        try {
            tracer.save(file);
        } catch (IOException e) {
            LOG.warn("the trace cannot be saved, so the next start learns again: {}", e.toString());
        }
    }

    public int sitesSeen() {
        return tracer.statistics().sites();
    }

    public int sitesRegistered() {
        return tracer.statistics().sitesRegistered();
    }

    /** By the name of a node and an ordinal, as in {@code c#0}. */
    public boolean isSiteRegistered(String site) {
        return tracer.sites().stream().filter(each -> each.name().equals(site))
                .anyMatch(each -> each.state() == SiteState.REGISTERED);
    }
}
