package dev.verbena.testing.trace;

/**
 * Inception-v3 (Szegedy et al., 2016) as in TensorFlow-Slim: batch normalization without scale. The table's 196 variables and 92.90 MB are
 * those with the auxiliary classifier, for 10 classes, without the moving averages.
 */
final class InceptionV3 implements Model {
    private static final int CLASSES = 10;

    @Override
    public void forward(Tape tape) {
        Image image = stem(Image.input(tape, 299));
        image = square(image, "5b", 32);
        image = square(image, "5c", 64);
        image = square(image, "5d", 64);
        image = reduction(image);
        image = factorized(image, "6b", 128);
        image = factorized(image, "6c", 160);
        image = factorized(image, "6d", 160);
        image = factorized(image, "6e", 192);
        auxiliary(tape, image);
        image = secondReduction(image);
        image = expanded(image, "7b");
        image = expanded(image, "7c");
        Image pooled = image.averagePool(8, 1);
        tape.loss(Model.dense(tape, "logits", Model.dropout(tape, pooled.value()), pooled.elementCount(), CLASSES));
    }

    private static Image stem(Image image) {
        return image.normalized("1a", 32, 3, 3, 2, false).normalized("2a", 32, 3, 3, 1, false)
                .normalized("2b", 64, 3, 3, 1, true).maxPool(3, 2).normalized("3b", 80, 1, 1, 1, false)
                .normalized("4a", 192, 3, 3, 1, false).maxPool(3, 2);
    }

    private static Image square(Image image, String name, int pooled) {
        Image ones = image.normalized(name + ".0", 64, 1, 1, 1, true);
        Image fives = image.normalized(name + ".1a", 48, 1, 1, 1, true).normalized(name + ".1b", 64, 5, 5, 1, true);
        Image threes = image.normalized(name + ".2a", 64, 1, 1, 1, true).normalized(name + ".2b", 96, 3, 3, 1, true)
                .normalized(name + ".2c", 96, 3, 3, 1, true);
        Image pool = image.averagePool().normalized(name + ".3", pooled, 1, 1, 1, true);
        return Image.concatenation(ones, fives, threes, pool);
    }

    private static Image reduction(Image image) {
        Image threes = image.normalized("6a.0", 384, 3, 3, 2, false);
        Image twice = image.normalized("6a.1a", 64, 1, 1, 1, true).normalized("6a.1b", 96, 3, 3, 1, true)
                .normalized("6a.1c", 96, 3, 3, 2, false);
        return Image.concatenation(threes, twice, image.maxPool(3, 2));
    }

    /** 7 x 7 as 1 x 7 and 7 x 1. */
    private static Image factorized(Image image, String name, int inner) {
        Image ones = image.normalized(name + ".0", 192, 1, 1, 1, true);
        Image sevens = image.normalized(name + ".1a", inner, 1, 1, 1, true)
                .normalized(name + ".1b", inner, 1, 7, 1, true).normalized(name + ".1c", 192, 7, 1, 1, true);
        Image twice = image.normalized(name + ".2a", inner, 1, 1, 1, true)
                .normalized(name + ".2b", inner, 7, 1, 1, true).normalized(name + ".2c", inner, 1, 7, 1, true)
                .normalized(name + ".2d", inner, 7, 1, 1, true).normalized(name + ".2e", 192, 1, 7, 1, true);
        Image pool = image.averagePool().normalized(name + ".3", 192, 1, 1, 1, true);
        return Image.concatenation(ones, sevens, twice, pool);
    }

    private static void auxiliary(Tape tape, Image image) {
        Image pooled = image.averagePool(5, 3).normalized("aux.1b", 128, 1, 1, 1, true)
                .normalized("aux.2a", 768, 5, 5, 1, false);
        tape.loss(Model.dense(tape, "aux.logits", pooled.value(), pooled.elementCount(), CLASSES));
    }

    private static Image secondReduction(Image image) {
        Image threes = image.normalized("7a.0a", 192, 1, 1, 1, true).normalized("7a.0b", 320, 3, 3, 2, false);
        Image sevens = image.normalized("7a.1a", 192, 1, 1, 1, true).normalized("7a.1b", 192, 1, 7, 1, true)
                .normalized("7a.1c", 192, 7, 1, 1, true).normalized("7a.1d", 192, 3, 3, 2, false);
        return Image.concatenation(threes, sevens, image.maxPool(3, 2));
    }

    private static Image expanded(Image image, String name) {
        Image ones = image.normalized(name + ".0", 320, 1, 1, 1, true);
        Image threes = image.normalized(name + ".1a", 384, 1, 1, 1, true);
        threes = Image.concatenation(threes.normalized(name + ".1b", 384, 1, 3, 1, true),
                threes.normalized(name + ".1c", 384, 3, 1, 1, true));
        Image twice = image.normalized(name + ".2a", 448, 1, 1, 1, true).normalized(name + ".2b", 384, 3, 3, 1, true);
        twice = Image.concatenation(twice.normalized(name + ".2c", 384, 1, 3, 1, true),
                twice.normalized(name + ".2d", 384, 3, 1, 1, true));
        Image pool = image.averagePool().normalized(name + ".3", 192, 1, 1, 1, true);
        return Image.concatenation(ones, threes, twice, pool);
    }
}
