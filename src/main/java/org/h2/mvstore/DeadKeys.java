package org.h2.mvstore;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes keys of deleted rows from the inner pages of a tree. Such a key separates two leaves and
 * stays there after its row is deleted, because a deletion changes only the leaf. Each is replaced
 * by the first existing key to its right, which separates the same leaves.
 *
 * <p>The class is in H2's package because only H2 can replace pages of a tree.
 */
public final class DeadKeys {

  private DeadKeys() {}

  /** Replaces the dead keys of a tree; returns how many there were. Other threads may write. */
  public static <K, V> int replace(MVMap<K, V> map) {
    var store = map.getStore();
    var usage = store.registerVersionUsage();
    try {
      var dead = new ArrayList<K>();
      find(map, map.flushAndGetRoot().root, dead);
      for (var key : dead) {
        replace(map, key);
      }
      return dead.size();
    } finally {
      store.deregisterVersionUsage(usage);
    }
  }

  private static <K, V> void find(MVMap<K, V> map, Page<K, V> page, List<K> dead) {
    if (page.isLeaf()) {
      return;
    }
    for (int i = 0; i < page.getKeyCount(); i++) {
      if (!map.containsKey(page.getKey(i))) {
        dead.add(page.getKey(i));
      }
    }
    // The position says which pages are leaves: those are not read.
    for (int i = 0; i <= page.getKeyCount(); i++) {
      var position = page.getChildPagePos(i);
      if (!DataUtils.isPageSaved(position) || !DataUtils.isLeafPosition(position)) {
        find(map, page.getChildPage(i), dead);
      }
    }
  }

  private static <K, V> void replace(MVMap<K, V> map, K key) {
    for (int attempt = 1; ; attempt++) {
      var root = map.flushAndGetRoot();
      var found = root.isLocked() ? null : path(root.root, key);
      if (found != null) {
        var version = root.version;
        var changed = found.page.copy();
        changed.setKey(found.index, first(found.page.getChildPage(found.index + 1)));
        var memory = changed.getMemory();
        for (var above = found.parent; above != null; above = above.parent) {
          var parent = above.page.copy();
          parent.setChild(above.index, changed);
          memory += parent.getMemory();
          changed = parent;
        }
        if (root.updateRootPage(changed, attempt) != null) {
          map.getStore().registerUnsavedMemory(memory + found.processRemovalInfo(version));
          return;
        }
      } else if (!root.isLocked()) {
        return;
      }
      Thread.onSpinWait();
    }
  }

  /** Returns the path to the inner page that holds a key, or {@code null} if none does. */
  private static <K, V> @Nullable CursorPos<K, V> path(Page<K, V> root, K key) {
    CursorPos<K, V> parent = null;
    var page = root;
    while (!page.isLeaf()) {
      var index = page.binarySearch(key);
      if (index >= 0) {
        return new CursorPos<>(page, index, parent);
      }
      parent = new CursorPos<>(page, -index - 1, parent);
      page = page.getChildPage(-index - 1);
    }
    return null;
  }

  private static <K, V> K first(Page<K, V> page) {
    var at = page;
    while (!at.isLeaf()) {
      at = at.getChildPage(0);
    }
    return at.getKey(0);
  }
}
