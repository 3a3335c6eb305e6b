package org.h2.mvstore;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Overwrites the remains of deleted rows in an open H2 file with zeros. Remains are in three
 * places: pages that no version refers to, in chunks whose other pages are in use; old contents of
 * the write buffer, between a chunk's last byte and its footer; and the blocks between chunks. H2
 * leaves them there until it writes something else in the same place. Nothing that is in use is
 * moved, so the work costs little and can be stopped and started again at any time.
 *
 * <p>The class is in H2's package because H2 shows only its own classes which pages are dead and
 * which blocks are free. It writes only where H2 may write. Not safe for several threads.
 *
 * <p>Call {@link #note}, then commit until {@link #unread} is true, then call {@link #wipe} until
 * it returns false.
 */
public final class DeadSpace {

  private static final int BLOCK = FileStore.BLOCK_SIZE;
  private static final int PIECE = 256 * BLOCK;

  private final MVStore store;
  private final RandomAccessStore file;
  private final List<Dead> dead = new ArrayList<>();
  private long version;
  private int chunk;
  private int page;
  private long block = 2;
  private long passed;
  private long whole = 1;

  private record Dead(SFChunk chunk, BitSet pages) {}

  private DeadSpace(MVStore store, RandomAccessStore file) {
    this.store = store;
    this.file = file;
  }

  /** Returns the dead space of a store in a file, or empty for one in memory. */
  public static Optional<DeadSpace> of(MVStore store) {
    return store.getFileStore() instanceof RandomAccessStore file
        ? Optional.of(new DeadSpace(store, file))
        : Optional.empty();
  }

  /**
   * Notes what is dead now, and makes H2 drop its write buffers, because their old contents would
   * fill the gap before the footer of a later chunk.
   */
  public void note() {
    alone(() -> {
      dead.clear();
      version = store.getCurrentVersion();
      whole = file.size();
      for (var each : file.getChunks().values()) {
        if (each.isSaved() && each.tocPos > 0) {
          dead.add(new Dead(each, (BitSet) each.occupancy.clone()));
          whole += length(each);
        }
      }
      for (int i = 0; i <= FileStore.PIPE_LENGTH; i++) {
        var _ = file.getWriteBuffer();
      }
    });
  }

  /**
   * Returns whether the noted pages are unused for good: no reader has a version that uses them,
   * and no start after a crash would return to one. It takes commits after the note until this is
   * true.
   */
  public boolean unread() {
    return store.getOldestVersionToKeep() > version && file.lastChunkVersion() > version + 1;
  }

  /** Forces everything that is committed to the disk; call this before wiping. */
  public void sync() {
    file.sync();
  }

  /**
   * Wipes the next portion; commits wait meanwhile, reads do not. Returns whether there is more. It
   * does nothing {@linkplain #isBeingCopied while the file is being copied}.
   *
   * @param bytes about how many bytes are looked at
   */
  public boolean wipe(int bytes) {
    var more = new AtomicReference<>(true);
    alone(() -> {
      if (isBeingCopied()) {
        return;
      }
      long left = bytes;
      while (left > 0 && chunk < dead.size()) {
        left -= wipePages(dead.get(chunk), left);
      }
      var end = (file.size() + BLOCK - 1) / BLOCK;
      while (left > 0 && block < end) {
        left -= wipeFree(end);
      }
      more.set(chunk < dead.size() || block < end);
    });
    return more.get();
  }

  /** Returns whether a copy is being made; the file must not be wiped during a copy. */
  public boolean isBeingCopied() {
    return !file.isSpaceReused();
  }

  /** Returns how much of it was looked at, in percent. */
  public int percent() {
    return (int) Math.min(100, 100 * passed / whole);
  }

  private static long length(SFChunk chunk) {
    return (long) chunk.len * BLOCK;
  }

  /** Returns how many bytes that took. */
  private long wipePages(Dead noted, long most) {
    var there = file.getChunks().get(noted.chunk().id);
    long looked = BLOCK;
    if (there != null && there.version == noted.chunk().version && there.isSaved()) {
      var start = there.block * BLOCK;
      var toc = there.readToC(file);
      page = noted.pages().nextSetBit(page);
      while (page >= 0 && looked < most) {
        var alive = noted.pages().nextClearBit(page);
        var from = DataUtils.getPageOffset(toc[page]);
        var to = alive < toc.length ? DataUtils.getPageOffset(toc[alive]) : there.tocPos;
        zero(start + from, to - from);
        looked += to - from;
        page = noted.pages().nextSetBit(alive);
      }
      if (page >= 0) {
        return looked;
      }
      var gap = there.tocPos + toc.length * Long.BYTES;
      zero(start + gap, there.len * BLOCK - Chunk.FOOTER_LENGTH - gap);
    }
    passed += length(noted.chunk());
    chunk++;
    page = 0;
    return looked;
  }

  private long wipeFree(long end) {
    var first = block;
    while (block < end
        && (block - first) * BLOCK < PIECE
        && file.freeSpace.isFree(block * BLOCK, BLOCK)) {
      block++;
    }
    var free = (block - first) * BLOCK;
    if (free == 0) {
      while (block < end && !file.freeSpace.isFree(block * BLOCK, BLOCK)) {
        block++;
      }
    } else {
      // The last block of a file may not be whole.
      zero(first * BLOCK, Math.min(free, file.size() - first * BLOCK));
    }
    passed += (block - first) * BLOCK;
    return free;
  }

  /** Reads before it writes, because reading costs less and most of the space is wiped already. */
  private void zero(long position, long length) {
    for (long done = 0; done < length; done += PIECE) {
      var bytes = (int) Math.min(PIECE, length - done);
      var held = file.readFully((SFChunk) null, position + done, bytes);
      held.rewind();
      var zeros = ByteBuffer.allocate(bytes);
      if (held.mismatch(zeros) >= 0) {
        file.writeFully(null, position + done, zeros);
      }
    }
  }

  /** Runs the work while nothing is stored, moved or freed. */
  private void alone(Runnable work) {
    FileWork.alone(
        store,
        () -> {
          file.saveChunkLock.lock();
          try {
            work.run();
          } finally {
            file.saveChunkLock.unlock();
          }
        });
  }
}
