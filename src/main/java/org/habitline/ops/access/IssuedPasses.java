package org.habitline.ops.access;

import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.habitline.staff.web.Passes;
import org.habitline.storage.Transactions;

/** Finds the keys, sessions and chat tokens that are no longer in force. */
@Singleton
final class IssuedPasses implements Passes {

  /** The pass of {@code HABITLINE_ADMIN_KEY}: valid as long as this process runs. */
  static final String OUTSIDE = "outside";

  private static final String KEY = "key ";
  private static final String SESSION = "session ";
  private static final String TOKEN = "token ";

  private final Access access;
  private final ChatTokens tokens;
  private final Transactions transactions;

  IssuedPasses(Access access, ChatTokens tokens, Transactions transactions) {
    this.access = access;
    this.tokens = tokens;
    this.transactions = transactions;
  }

  static String key(String hash) {
    return KEY + hash;
  }

  static String session(String hash) {
    return SESSION + hash;
  }

  static String token(String hash) {
    return TOKEN + hash;
  }

  /** Returns whether the pass is a participant's chat token. */
  static boolean isToken(String pass) {
    return pass.startsWith(TOKEN);
  }

  @Override
  public Set<String> ended(Collection<String> passes) {
    var ended = new HashSet<>(passes);
    ended.remove(OUTSIDE);
    if (ended.isEmpty()) {
      return ended;
    }
    transactions.read(() -> {
      access.keysInForce(of(KEY, passes)).forEach(hash -> ended.remove(key(hash)));
      access.sessionsInForce(of(SESSION, passes)).forEach(hash -> ended.remove(session(hash)));
      tokens.inForce(of(TOKEN, passes)).forEach(hash -> ended.remove(token(hash)));
    });
    return ended;
  }

  private static List<String> of(String kind, Collection<String> passes) {
    return passes.stream()
        .filter(pass -> pass.startsWith(kind))
        .map(pass -> pass.substring(kind.length()))
        .distinct()
        .toList();
  }
}
