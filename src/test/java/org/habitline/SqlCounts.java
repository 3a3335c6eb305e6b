package org.habitline;

import io.micronaut.context.RuntimeBeanDefinition;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.core.order.Ordered;
import io.micronaut.core.type.Argument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What each thread asks of the database, in order: statements, and how their transactions ended.
 */
public final class SqlCounts implements TestBean, BeanCreatedEventListener<DataSource>, Ordered {

  public static final String COMMIT = "COMMIT";
  public static final String ROLLBACK = "ROLLBACK";

  private final Map<String, List<String>> byThread = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable Meanwhile> meanwhile = new AtomicReference<>();

  @Override
  public List<RuntimeBeanDefinition<?>> definitions() {
    return List.of(
        RuntimeBeanDefinition.builder(SqlCounts.class, () -> this)
            .singleton(true)
            .typeArguments(BeanCreatedEventListener.class, Argument.of(DataSource.class, "T"))
            .build());
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public DataSource onCreated(BeanCreatedEvent<DataSource> event) {
    return ProxyDataSourceBuilder.create(event.getBean())
        .beforeQuery((execution, queries) -> meanwhile(queries.getFirst().getQuery()))
        .afterQuery((execution, queries) -> note(queries.getFirst().getQuery()))
        .afterMethod(context -> {
          switch (context.getMethod().getName()) {
            case "commit" -> note(COMMIT);
            case "rollback" -> note(ROLLBACK);
            default -> {}
          }
        })
        .build();
  }

  /**
   * Runs an act of somebody else just before the next statement that contains these words, once it
   * says that it acted.
   */
  public void before(String words, BooleanSupplier act) {
    meanwhile.set(new Meanwhile(words, act));
  }

  private record Meanwhile(String words, BooleanSupplier act) {}

  private void meanwhile(String statement) {
    var what = meanwhile.get();
    if (what != null
        && statement.contains(what.words())
        && meanwhile.compareAndSet(what, null)
        && !CompletableFuture.supplyAsync(what.act()::getAsBoolean).join()) {
      meanwhile.set(what);
    }
  }

  private void note(String what) {
    byThread.merge(
        Thread.currentThread().getName(),
        List.of(what),
        (before, one) -> {
          var all = new ArrayList<>(before);
          all.addAll(one);
          return all;
        });
  }

  /** Every different statement that any thread asked. */
  public Set<String> statements() {
    var all = new TreeSet<String>();
    byThread.values().forEach(all::addAll);
    all.removeAll(Set.of(COMMIT, ROLLBACK));
    return all;
  }

  public void forget() {
    byThread.clear();
  }

  /** Everything asked by threads of this name. */
  public List<String> of(String thread) {
    return byThread.getOrDefault(thread, List.of());
  }
}
