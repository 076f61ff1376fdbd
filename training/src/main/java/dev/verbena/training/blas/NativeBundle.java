package dev.verbena.training.blas;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

import dev.verbena.training.TrainingException;

/**
 * Shared libraries that lie in a jar, unpacked once into a directory of the user's cache where the dynamic linker can load
 * them.
 *
 * <p>Several processes may start at once and any may die at any moment: one at a time unpacks (a lock file, which the
 * system releases when its holder dies), into a temporary file that is renamed when it is whole. A file of another size
 * than the one in the jar was torn by something else and is replaced.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param resourceDirectory where the files lie in the jar, without a slash at the end
 * @param fileNames the files
 */
record NativeBundle(String resourceDirectory, List<String> fileNames) {
    /** Unpacks what is missing or torn. @throws TrainingException saying what failed and what to do */
    void unpackInto(Path directory) {
        try {
            if (isWhole(directory)) {
                // The common case needs no lock, and no right to write.
                return;
            }
            Files.createDirectories(directory);
            unpackExclusively(directory);
        } catch (IOException e) {
            throw new TrainingException("cannot unpack native libraries to directory=" + directory + ": " + e
                    + "; set XDG_CACHE_HOME to a directory that can be written", e);
        }
    }

    private boolean isWhole(Path directory) throws IOException {
        for (String fileName : fileNames) {
            if (!isWhole(directory.resolve(fileName), open(fileName))) {
                return false;
            }
        }
        return true;
    }

    private void unpackExclusively(Path directory) throws IOException {
        // Threads of one process need a lock of their own: file locks are held by the process.
        synchronized (NativeBundle.class) {
            try (FileChannel channel = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE); var _ = channel.lock()) {
                for (String fileName : fileNames) {
                    unpack(fileName, directory);
                }
            }
        }
    }

    private void unpack(String fileName, Path directory) throws IOException {
        URLConnection resource = open(fileName);
        Path target = directory.resolve(fileName);
        if (isWhole(target, resource)) {
            return;
        }
        Path temporary = directory.resolve(fileName + ".tmp");
        try (InputStream in = resource.getInputStream()) {
            Files.copy(in, temporary, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isWhole(Path file, URLConnection resource) throws IOException {
        return Files.exists(file) && Files.size(file) == resource.getContentLengthLong();
    }

    private URLConnection open(String fileName) throws IOException {
        String resourceName = resourceDirectory + "/" + fileName;
        URL resource = NativeBundle.class.getClassLoader().getResource(resourceName);
        if (resource == null) {
            throw new TrainingException("native library resource=" + resourceName
                    + " is not on the class path; add the jar that carries it for this platform");
        }
        return resource.openConnection();
    }
}
