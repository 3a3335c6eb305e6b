package org.habitline.ops.database;

import io.micronaut.context.ApplicationContext;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.filter.HttpServerFilter;
import io.micronaut.http.filter.ServerFilterChain;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import io.micronaut.web.router.DefaultRouteBuilder;
import io.micronaut.web.router.RouteBuilder;
import java.util.function.Supplier;
import org.habitline.ops.start.ServiceLifecycle;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** A route that nobody opened to anybody, and faults behind a route of the program's own. */
// Micronaut's builder has arrays where its interface has variable arguments.
@SuppressWarnings("overrides")
public final class TestRoutes extends DefaultRouteBuilder {

  /** Nobody said who may use this one. */
  public static final String FORGOTTEN = "/forgotten";

  /** The route that fails as a test says; its address holds a phone number. */
  public static final String FAILING = "/participants/by-phone/+12065550100";

  /** The template of that address. */
  public static final String FAILING_TEMPLATE = "/participants/by-phone/{phone:.+}";

  private TestRoutes(ApplicationContext context) {
    super(context);
    // Any method that is known by its name and says nothing of roles.
    GET(FORGOTTEN, ServiceLifecycle.class, "open", ServerStartupEvent.class);
    addFilter("/participants/by-phone/**", context, context.getBeanDefinition(FailingFilter.class));
  }

  /** Adds them to a program whose server has not started. */
  static void addTo(ApplicationContext context) {
    context.registerSingleton(new FailingFilter());
    context.registerSingleton(RouteBuilder.class, new TestRoutes(context));
  }

  /** Fails once for whoever a test says it shall fail for. */
  static final class FailingFilter implements HttpServerFilter {

    private volatile @Nullable Supplier<Exception> fault;

    void next(Supplier<Exception> next) {
      fault = next;
    }

    @Override
    public Publisher<MutableHttpResponse<?>> doFilter(
        HttpRequest<?> request, ServerFilterChain chain) {
      var next = fault;
      fault = null;
      return next == null ? chain.proceed(request) : Mono.error(next);
    }
  }
}
