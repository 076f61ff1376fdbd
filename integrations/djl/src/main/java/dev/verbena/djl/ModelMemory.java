package dev.verbena.djl;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;

import ai.djl.Model;
import ai.djl.nn.Parameter;
import ai.djl.util.Pair;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.Reduction;

/**
 * Where a model's parameters and gradients lie: in buckets, in the order in which the model has them, the same at all processes.
 *
 * <p>Threading: confined to the thread that trains.
 */
final class ModelMemory implements AutoCloseable {
    private final TensorArena arena;
    private final List<Bucket> buckets;

    private ModelMemory(TensorArena arena, List<Bucket> buckets) {
        this.arena = arena;
        this.buckets = buckets;
    }

    static ModelMemory of(Model model, RdmaDevice device, long bucketByteSize) {
        List<BucketPlan> plans = plans(model, bucketByteSize);
        long[] byteSizes = plans.stream().flatMapToLong(BucketPlan::tensorByteSizes).toArray();
        long arenaByteSize = TensorArena.plannedByteSize(1, byteSizes);
        TensorArena arena = TensorArena.create(device.slabSource(), arenaByteSize, arenaByteSize);
        ModelMemory memory = new ModelMemory(arena, new ArrayList<>());
        boolean isWhole = false;
        try {
            plans.forEach(plan -> memory.buckets.add(new Bucket(plan, arena)));
            memory.buckets.forEach(Bucket::moveIn);
            isWhole = true;
            return memory;
        } finally {
            if (!isWhole) {
                memory.close();
            }
        }
    }

    /** A bucket is full when the next parameter would not fit; those of other types, or that are not trained, have buckets of their own. */
    private static List<BucketPlan> plans(Model model, long bucketByteSize) {
        List<BucketPlan> plans = new ArrayList<>();
        Map<BucketPlan.Kind, BucketPlan> open = new LinkedHashMap<>();
        Set<String> seen = new HashSet<>();
        for (Pair<String, Parameter> pair : model.getBlock().getParameters()) {
            if (seen.add(pair.getValue().getId())) {
                BucketPlan.Kind kind = BucketPlan.Kind.of(pair.getKey(), pair.getValue());
                BucketPlan plan = open.get(kind);
                if (plan == null || !plan.hasRoom(pair.getValue(), bucketByteSize)) {
                    plan = new BucketPlan(kind);
                    open.put(kind, plan);
                    plans.add(plan);
                }
                plan.add(pair.getKey(), pair.getValue());
            }
        }
        return plans;
    }

    /** A line for each parameter, and how they are in buckets. */
    String description() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < buckets.size(); i++) {
            buckets.get(i).describe("in bucket " + i, text);
        }
        return text.toString();
    }

    void broadcast(Group group, Duration timeout) {
        buckets.forEach(bucket -> group.broadcast(bucket.parameters(), 0, timeout));
    }

    /** All buckets, one after the other; each is given to the consumer when it is reduced, while the next ones are under way. */
    void reduce(Group group, Duration timeout, Consumer<Bucket> whenReduced) {
        List<Bucket> trained = buckets.stream().filter(Bucket::isTrained).toList();
        trained.forEach(Bucket::gather);
        List<CompletableFuture<Void>> reductions = trained.stream()
                .map(bucket -> group.size() == 1 ? CompletableFuture.<Void>completedFuture(null)
                        : group.allReduceAsync(bucket.gradients(), Reduction.MEAN, timeout).toCompletableFuture())
                .toList();
        try {
            for (int i = 0; i < trained.size(); i++) {
                reductions.get(i).join();
                whenReduced.accept(trained.get(i));
            }
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        } finally {
            // Nobody touches a gradient that is under way, whatever happened.
            CompletableFuture.allOf(reductions.toArray(CompletableFuture[]::new)).exceptionally(_ -> null).join();
        }
    }

    List<Tensor> tensors() {
        return buckets.stream().flatMap(bucket -> Stream.of(bucket.parameters(), bucket.gradients()))
                .filter(Objects::nonNull).toList();
    }

    long copies() {
        return buckets.stream().mapToLong(Bucket::copies).sum();
    }

    long byteSize() {
        return buckets.stream().mapToLong(Bucket::byteSize).sum();
    }

    /** Gives the model ordinary memory again. */
    @Override
    public void close() {
        buckets.forEach(Bucket::close);
        arena.close();
    }
}
