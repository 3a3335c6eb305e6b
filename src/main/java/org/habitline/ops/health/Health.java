package org.habitline.ops.health;

import com.fasterxml.jackson.annotation.JsonValue;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.http.context.ServerRequestContext;
import io.micronaut.management.endpoint.health.HealthLevelOfDetail;
import io.micronaut.management.health.aggregator.DefaultHealthAggregator;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.runtime.ApplicationConfiguration;
import io.micronaut.security.utils.SecurityService;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.habitline.ops.access.Role;
import org.habitline.participants.Participants;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the response of {@code /health}, in the format of the Go original: {@code healthy}, or
 * {@code degraded} with status 503, and the time. Authenticated callers also see the number of
 * active participants, and staff see the details. Liveness checks nothing outside the process.
 */
@Singleton
@Replaces(DefaultHealthAggregator.class)
final class Health extends DefaultHealthAggregator {

  private static final Logger log = LoggerFactory.getLogger(Health.class);
  private static final String WHOLE = "/health";

  private final Participants participants;
  private final SecurityService security;
  private final Clock systemClock;

  Health(
      ApplicationConfiguration application,
      Participants participants,
      SecurityService security,
      @Named("system") Clock systemClock) {
    super(application);
    this.participants = participants;
    this.security = security;
    this.systemClock = systemClock;
  }

  @Override
  public Publisher<HealthResult> aggregate(
      HealthIndicator[] indicators, HealthLevelOfDetail level) {
    var staff = security.hasRole(Role.STAFF.word());
    var known = security.isAuthenticated();
    var whole =
        ServerRequestContext.currentRequest()
            .filter(request -> request.getPath().replaceFirst("/$", "").equals(WHOLE))
            .isPresent();
    return Publishers.map(
        super.aggregate(indicators, HealthLevelOfDetail.STATUS_DESCRIPTION_DETAILS),
        result -> {
          var up = HealthStatus.UP.equals(result.getStatus());
          return new Report(
              result.getStatus(),
              systemClock.instant(),
              whole && up && known ? active() : OptionalInt.empty(),
              staff ? result.getDetails() : null);
        });
  }

  private OptionalInt active() {
    try {
      return OptionalInt.of(participants.active());
    } catch (RuntimeException e) {
      log.warn("Participants cannot be counted now; /health leaves their number out", e);
      return OptionalInt.empty();
    }
  }

  /** One response. */
  static final class Report implements HealthResult {

    private final HealthStatus status;
    private final Instant timestamp;
    private final OptionalInt active;
    private final @Nullable Object details;

    Report(HealthStatus status, Instant timestamp, OptionalInt active, @Nullable Object details) {
      this.status = status;
      this.timestamp = timestamp;
      this.active = active;
      this.details = details;
    }

    @Override
    public String getName() {
      return "habitline";
    }

    @Override
    public HealthStatus getStatus() {
      return status;
    }

    @Override
    public @Nullable Object getDetails() {
      return details;
    }

    @JsonValue
    Map<String, Object> body() {
      var up = HealthStatus.UP.equals(status);
      var body = new LinkedHashMap<String, Object>();
      body.put("status", up ? "healthy" : "degraded");
      body.put("timestamp", timestamp.toString());
      active.ifPresent(count -> body.put("active_participants", count));
      if (!up) {
        body.put("error", "A part of the service is not up; staff see which in the details.");
      }
      if (details != null) {
        body.put("details", details);
      }
      return body;
    }
  }
}
