package dev.verbena.training.model;

import java.util.List;

import dev.verbena.graph.Graph.Output;
import dev.verbena.training.DataFacts;
import dev.verbena.training.operation.image.Window;

/**
 * Inception-v3 of EuroSys'19, table 2, with its auxiliary classifier: 196 variables, since its batch normalization learns a shift only.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, <i>Rethinking the inception architecture for computer vision</i>, 2016; without
 * dropout.
 *
 * @param side of the images it takes; 299 in the paper
 * @param divisor of all widths; 1 in the paper
 */
public record InceptionV3(int side, int divisor) implements PhotographModel {
    private static final Window POOL = Window.of(3, 3).strided(2, 2);
    private static final Window AROUND = Window.of(3, 3).padded(1, 1, 1, 1);

    @Override
    public String title() {
        return "inception3";
    }

    @Override
    public float learningRate() {
        return .01f;
    }

    @Override
    public List<Output> logits(Layers layers, Output images, DataFacts data) {
        Tower tower = new Tower(layers, divisor);
        Output signal = tower.stem(layers.planes("planes", images, requireShape(data)));
        signal = tower.square(signal, "5b", 32);
        signal = tower.square(signal, "5c", 64);
        signal = tower.square(signal, "5d", 64);
        signal = tower.reduction(signal);
        signal = tower.factorized(signal, "6b", 128);
        signal = tower.factorized(signal, "6c", 160);
        signal = tower.factorized(signal, "6d", 160);
        signal = tower.factorized(signal, "6e", 192);
        Output auxiliary = tower.auxiliary(signal);
        signal = tower.secondReduction(signal);
        signal = tower.expanded(signal, "7b");
        signal = tower.expanded(signal, "7c");
        signal = layers.averagePool("pool", signal, windowOver(signal, 8));
        return List.of(layers.dense("logits", layers.flat("flat", signal), data.classCount()),
                layers.dense("aux.logits", layers.flat("aux.flat", auxiliary), data.classCount()));
    }

    /** Of that size, or that of the image, where that is smaller. */
    private static Window windowOver(Output image, int size) {
        int side = (int) Math.min(size, Layers.size(image, 2));
        return Window.of(side, side);
    }

    /** What it is built of; the numbers are channels, as the paper has them. */
    private record Tower(Layers layers, int divisor) {
        private Output of(String name, Output x, int channels, Window window) {
            return layers.normalized(name, x, Math.max(1, channels / divisor), window);
        }

        /** Padded, so that it makes nothing smaller. */
        private Output same(String name, Output x, int channels, int height, int width) {
            return of(name, x, channels,
                    Window.of(height, width).padded(height / 2, width / 2, height / 2, width / 2));
        }

        private Output halving(String name, Output x, int channels) {
            return of(name, x, channels, POOL);
        }

        private Output around(String name, Output x) {
            return layers.averagePool(name, x, AROUND);
        }

        Output stem(Output image) {
            Output x = halving("1a", image, 32);
            x = same("2b", of("2a", x, 32, Window.of(3, 3)), 64, 3, 3);
            x = same("3b", layers.maxPool("3a", x, POOL), 80, 1, 1);
            return layers.maxPool("5a", of("4a", x, 192, Window.of(3, 3)), POOL);
        }

        Output square(Output x, String name, int pooled) {
            Output ones = same(name + ".0", x, 64, 1, 1);
            Output fives = same(name + ".1b", same(name + ".1a", x, 48, 1, 1), 64, 5, 5);
            Output threes = same(name + ".2b", same(name + ".2a", x, 64, 1, 1), 96, 3, 3);
            threes = same(name + ".2c", threes, 96, 3, 3);
            Output pool = same(name + ".3", around(name + ".pool", x), pooled, 1, 1);
            return layers.concatenation(name, ones, fives, threes, pool);
        }

        Output reduction(Output x) {
            Output threes = halving("6a.0", x, 384);
            Output twice = same("6a.1b", same("6a.1a", x, 64, 1, 1), 96, 3, 3);
            return layers.concatenation("6a", threes, halving("6a.1c", twice, 96), layers.maxPool("6a.pool", x, POOL));
        }

        /** 7 x 7 as 1 x 7 and 7 x 1. */
        Output factorized(Output x, String name, int inner) {
            Output ones = same(name + ".0", x, 192, 1, 1);
            Output sevens = same(name + ".1b", same(name + ".1a", x, inner, 1, 1), inner, 1, 7);
            sevens = same(name + ".1c", sevens, 192, 7, 1);
            Output twice = same(name + ".2b", same(name + ".2a", x, inner, 1, 1), inner, 7, 1);
            twice = same(name + ".2d", same(name + ".2c", twice, inner, 1, 7), inner, 7, 1);
            twice = same(name + ".2e", twice, 192, 1, 7);
            Output pool = same(name + ".3", around(name + ".pool", x), 192, 1, 1);
            return layers.concatenation(name, ones, sevens, twice, pool);
        }

        Output auxiliary(Output x) {
            Output pooled = layers.averagePool("aux.1a", x, windowOver(x, 5).strided(3, 3));
            pooled = same("aux.1b", pooled, 128, 1, 1);
            return of("aux.2a", pooled, 768, windowOver(pooled, 5));
        }

        Output secondReduction(Output x) {
            Output threes = halving("7a.0b", same("7a.0a", x, 192, 1, 1), 320);
            Output sevens = same("7a.1b", same("7a.1a", x, 192, 1, 1), 192, 1, 7);
            sevens = halving("7a.1d", same("7a.1c", sevens, 192, 7, 1), 192);
            return layers.concatenation("7a", threes, sevens, layers.maxPool("7a.pool", x, POOL));
        }

        Output expanded(Output x, String name) {
            Output ones = same(name + ".0", x, 320, 1, 1);
            Output threes = same(name + ".1a", x, 384, 1, 1);
            threes = layers.concatenation(name + ".1", same(name + ".1b", threes, 384, 1, 3),
                    same(name + ".1c", threes, 384, 3, 1));
            Output twice = same(name + ".2b", same(name + ".2a", x, 448, 1, 1), 384, 3, 3);
            twice = layers.concatenation(name + ".2", same(name + ".2c", twice, 384, 1, 3),
                    same(name + ".2d", twice, 384, 3, 1));
            Output pool = same(name + ".3", around(name + ".pool", x), 192, 1, 1);
            return layers.concatenation(name, ones, threes, twice, pool);
        }
    }
}
