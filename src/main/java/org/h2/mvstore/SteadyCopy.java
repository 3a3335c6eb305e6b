package org.h2.mvstore;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Copies an open H2 file as it is at one moment, while others write. The copy ends at the length
 * that the file has at that moment. Until the copy is closed, nothing before that length is freed,
 * moved or overwritten, and new data is written after it. Commits wait only while the length is
 * read. A store can have one copy at a time.
 *
 * <p>The class is in H2's package because H2 shows only its own classes where the used part of the
 * file ends. H2's own {@code BACKUP} copies up to the end that the file has by then, while chunks
 * in it may be freed.
 */
public final class SteadyCopy implements AutoCloseable {

  private static final int HEADER = 2 * FileStore.BLOCK_SIZE;
  private static final int PIECE = 256 * FileStore.BLOCK_SIZE;

  private final MVStore store;
  private final RandomAccessStore file;
  private final int retention;
  private final byte[] header = new byte[HEADER];
  private long length;

  private SteadyCopy(MVStore store, RandomAccessStore file) {
    this.store = store;
    this.file = file;
    this.retention = file.getRetentionTime();
  }

  /** Begins a copy, or returns empty for a store in memory. */
  public static Optional<SteadyCopy> of(MVStore store) {
    if (!(store.getFileStore() instanceof RandomAccessStore file)) {
      return Optional.empty();
    }
    var copy = new SteadyCopy(store, file);
    FileWork.alone(
        store,
        () -> {
          // The header names the newest chunk only now and then: it is copied as it is now.
          file.readFully((SFChunk) null, 0, HEADER).rewind().get(copy.header);
          copy.length = file.getFileLengthInUse();
          file.setReuseSpace(false);
          file.setRetentionTime(Integer.MAX_VALUE);
        });
    return Optional.of(copy);
  }

  /** Returns how many bytes are copied. */
  public long length() {
    return length;
  }

  /** Writes the copy; other threads do not wait for it. */
  public void writeTo(OutputStream out) throws IOException {
    out.write(header);
    for (long at = HEADER; at < length; at += PIECE) {
      var piece = new byte[(int) Math.min(PIECE, length - at)];
      file.readFully((SFChunk) null, at, piece.length).rewind().get(piece);
      out.write(piece);
    }
  }

  /** From now on H2 frees and overwrites as usual. */
  @Override
  public void close() {
    FileWork.alone(
        store,
        () -> {
          file.setRetentionTime(retention);
          file.setReuseSpace(true);
        });
  }
}
