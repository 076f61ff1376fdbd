package dev.verbena.page;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * Why a file could not be read or written, in words for its user.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
public final class FileTrouble {
    private FileTrouble() {}

    /** A part of a sentence, such as "permission denied"; without the file's name, as far as is known what is wrong. */
    public static String of(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "it does not exist";
            case AccessDeniedException _ -> "permission denied";
            case FileAlreadyExistsException _ -> "it exists, and is no folder";
            case NotDirectoryException _ -> "it is no folder";
            case DirectoryNotEmptyException _ -> "the folder is not empty";
            case FileSystemException system when system.getReason() != null -> system.getReason();
            default -> e.getMessage() == null ? "the system does not say why" : e.getMessage();
        };
    }
}
