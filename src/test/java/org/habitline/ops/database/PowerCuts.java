package org.habitline.ops.database;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.h2.store.fs.FileBase;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A file system behind H2 that remembers what a power cut would leave: everything that was forced,
 * and any part of what was written later. H2 uses it for addresses such as {@code
 * jdbc:h2:cut:/folder/name}.
 */
public final class PowerCuts extends FilePathWrapper {

  private static final String SCHEME = "cut";
  private static final int PAGE = 4096;
  private static final ConcurrentMap<String, Disk> DISKS = new ConcurrentHashMap<>();

  static {
    FilePath.register(new PowerCuts());
  }

  /** Returns the address of an H2 file on a disk whose power can be cut. */
  static String address(String file) {
    return "jdbc:h2:" + SCHEME + ":" + file;
  }

  /** Returns the disk that an H2 file is on. */
  static Disk disk(Path file) {
    return DISKS.computeIfAbsent(file.toAbsolutePath().toString(), name -> new Disk(Path.of(name)));
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public FileChannel open(String mode) throws IOException {
    var base = getBase();
    return new OnDisk(base.open(mode), disk(Path.of(base.toString())));
  }

  /** What was written to a place of the file, or, without bytes, how long the file became. */
  private record Change(long at, @Nullable ByteBuffer bytes) {}

  /** What is on the disk of one file. */
  static final class Disk {
    private final List<Change> unforced = new ArrayList<>();
    private byte[] forced;
    private int forces;
    private boolean full;
    private boolean refuses;

    private Disk(Path file) {
      try {
        forced = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** From now on, there is no room for anything, or there is again. */
    synchronized void full(boolean now) {
      full = now;
    }

    /** From now on, the disk cannot force what was written, or can again. */
    synchronized void refuses(boolean now) {
      refuses = now;
    }

    synchronized int forces() {
      return forces;
    }

    /**
     * Writes what a power cut would leave now to another file.
     *
     * @param luck decides which pages of what was not forced are there
     */
    synchronized void cut(Path to, RandomGenerator luck) {
      var left = forced.clone();
      for (var change : unforced) {
        left = applied(left, change, luck);
      }
      try {
        Files.copy(new ByteArrayInputStream(left), to);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static byte[] applied(byte[] file, Change change, @Nullable RandomGenerator luck) {
      var bytes = change.bytes();
      if (bytes == null) {
        return luck == null || luck.nextBoolean()
            ? Arrays.copyOf(file, Math.toIntExact(change.at()))
            : file;
      }
      var changed = file;
      var start = Math.toIntExact(change.at());
      for (int at = start; at < start + bytes.remaining(); ) {
        var end = Math.min((at / PAGE + 1) * PAGE, start + bytes.remaining());
        if (luck == null || luck.nextBoolean()) {
          changed = changed.length < end ? Arrays.copyOf(changed, end) : changed;
          bytes.get(at - start, changed, at, end - at);
        }
        at = end;
      }
      return changed;
    }

    private synchronized void changed(long at, @Nullable ByteBuffer bytes) throws IOException {
      if (full && bytes != null) {
        throw new IOException("No space left on device");
      }
      unforced.add(new Change(at, bytes));
    }

    private synchronized void force() throws IOException {
      if (refuses) {
        throw new IOException("Input/output error");
      }
      for (var change : unforced) {
        forced = applied(forced, change, null);
      }
      unforced.clear();
      forces++;
    }
  }

  private static final class OnDisk extends FileBase {
    private final FileChannel base;
    private final Disk disk;

    private OnDisk(FileChannel base, Disk disk) {
      this.base = base;
      this.disk = disk;
    }

    @Override
    public synchronized int write(ByteBuffer source, long position) throws IOException {
      var bytes = new byte[source.remaining()];
      source.duplicate().get(bytes);
      disk.changed(position, ByteBuffer.wrap(bytes));
      return base.write(source, position);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      var written = write(source, base.position());
      base.position(base.position() + written);
      return written;
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      if (size < base.size()) {
        disk.changed(size, null);
      }
      base.truncate(size);
      return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
      disk.force();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return base.read(target);
    }

    @Override
    public synchronized int read(ByteBuffer target, long position) throws IOException {
      return base.read(target, position);
    }

    @Override
    public long position() throws IOException {
      return base.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
      base.position(position);
      return this;
    }

    @Override
    public long size() throws IOException {
      return base.size();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return base.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      base.close();
    }
  }
}
