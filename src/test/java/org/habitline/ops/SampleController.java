package org.habitline.ops;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Routes of every kind, for tests of what holds for all routes. */
@Requires(property = "test.doors")
@Controller("/sample")
class SampleController {

  @Get("/researcher")
  @Secured("researcher")
  String researcher() {
    return "ok";
  }

  @Get("/staff")
  @Secured("staff")
  String staff() {
    return "ok";
  }

  @Get("/admin")
  @Secured("admin")
  String admin() {
    return "ok";
  }

  /** Nobody said who may use this one. */
  @Get("/forgotten")
  String forgotten() {
    return "ok";
  }

  @Introspected
  record Wish(
      String someName,
      @Nullable Integer howMany,
      @Nullable Boolean really,
      @Nullable List<String> words) {}

  @Post("/wish")
  @Secured("researcher")
  Map<String, Object> wish(@Body Wish wish) {
    return Map.of("some_name", wish.someName());
  }

  @Get("/count")
  @Secured("researcher")
  int count(@QueryValue int number) {
    return number;
  }

  @Introspected
  record Shape(String someName, Instant madeAt, @Nullable String absent, List<String> words) {}

  @Get("/shape")
  @Secured("researcher")
  Shape shape() {
    return new Shape("a name", Instant.parse("2026-11-21T07:15:00.5Z"), null, List.of());
  }

  /** Asks a pool whose database is away. */
  @Get("/away")
  @Secured("researcher")
  String away() throws SQLException {
    try (var pool = new HikariDataSource(nowhere());
        var connection = pool.getConnection()) {
      return connection.getCatalog();
    }
  }

  private static HikariConfig nowhere() {
    var config = new HikariConfig();
    config.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/nowhere");
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(1000);
    return config;
  }

  /** Finds all connections in use. */
  @Get("/busy")
  @Secured("researcher")
  String busy() throws SQLException {
    throw new SQLTransientConnectionException("No connection was free within 5 s.");
  }

  /** Changes something that the file does not get in time. */
  @Post("/unconfirmed")
  @Secured("researcher")
  String unconfirmed() {
    throw new IllegalStateException(
        "Could not commit", new SQLException("Not stored within 10 s.", "08007"));
  }

  @Get("/broken/{phone}")
  @Secured("researcher")
  String broken(String phone) {
    throw new IllegalStateException("a text of a participant", new RuntimeException(phone));
  }
}
