package dev.verbena.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.verbena.memory.ArenaActor.Kind;
import dev.verbena.memory.ArenaActor.Step;

/** Runs a list of steps in each of several threads at once, then frees everything; throws what the model found wrong. */
final class ArenaScript {
    private ArenaScript() {}

    static void run(TensorArena arena, List<List<Step>> threads) throws Exception {
        ArenaModel model = new ArenaModel();
        Queue<HeldBlock> handedOver = new ConcurrentLinkedQueue<>();
        List<ArenaActor> actors = threads.stream()
                .map(steps -> new ArenaActor(arena, model, handedOver, steps, threads.size() == 1))
                .toList();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads.size())) {
            for (Future<Void> end : executor.invokeAll(actors)) {
                await(end);
            }
        }
        model.check(arena);
        actors.forEach(ArenaActor::freeAll);
        for (HeldBlock block = handedOver.poll(); block != null; block = handedOver.poll()) {
            model.freeing(block.memory());
            block.free(arena);
        }
        model.check(arena);
    }

    /** Steps that a test without jqwik takes, from a seed. */
    static List<List<Step>> random(long seed, int threads, int steps) {
        Random random = new Random(seed);
        List<List<Step>> script = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            List<Step> list = new ArrayList<>();
            for (int i = 0; i < steps; i++) {
                Kind kind = switch (random.nextInt(6)) {
                    case 0 -> Kind.ALLOCATE;
                    case 1 -> Kind.ALLOCATE_ADDRESS;
                    case 2 -> Kind.RESIZE;
                    default -> Kind.values()[random.nextInt(Kind.values().length)];
                };
                int size = random.nextInt(1 << random.nextInt(1, 20));
                list.add(new Step(kind, size, random.nextInt(1000)));
            }
            script.add(list);
        }
        return script;
    }

    private static void await(Future<Void> end) throws Exception {
        try {
            end.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (Exception) e.getCause();
        }
    }
}
