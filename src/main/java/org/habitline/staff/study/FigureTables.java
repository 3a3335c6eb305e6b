package org.habitline.staff.study;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.habitline.staff.study.FigureTable.Column;
import org.habitline.staff.study.FigureTable.Kind;
import org.habitline.staff.web.ApiProblem;
import org.habitline.study.figures.Figures;
import org.habitline.study.figures.Figures.Prompts;
import org.jspecify.annotations.Nullable;

/** Writes the study's figures as tables, one for each chart. */
final class FigureTables {

  static final String ADHERENCE = "adherence";
  static final String ADHERENCE_BY_STUDY_DAY = "adherence-by-study-day";
  static final String ENROLMENT = "enrolment";
  static final String DROP_OUT = "drop-out";
  static final String TIME_TO_ANSWER = "time-to-answer";
  static final String ANSWERS = "answers";
  static final String COSTS = "costs";
  static final String REPLIES = "replies";
  static final String REPLY_PARTS = "reply-parts";
  static final String MESSAGES = "messages";
  static final String DELIVERIES = "deliveries";
  static final String TOKENS = "tokens";

  private static final Map<String, Function<Figures.Study, FigureTable>> TABLES =
      new LinkedHashMap<>();

  static {
    TABLES.put(ADHERENCE, FigureTables::adherence);
    TABLES.put(ADHERENCE_BY_STUDY_DAY, FigureTables::adherenceByStudyDay);
    TABLES.put(ENROLMENT, FigureTables::enrolment);
    TABLES.put(DROP_OUT, FigureTables::dropOut);
    TABLES.put(TIME_TO_ANSWER, FigureTables::timeToAnswer);
    TABLES.put(ANSWERS, study -> times(ANSWERS, study.answers().days(), "Answers", Kind.MINUTES));
    TABLES.put(COSTS, FigureTables::costs);
    TABLES.put(REPLIES, study -> times(REPLIES, study.replies().days(), "Turns", Kind.SECONDS));
    TABLES.put(REPLY_PARTS, FigureTables::replyParts);
    TABLES.put(MESSAGES, FigureTables::messages);
    TABLES.put(DELIVERIES, FigureTables::deliveries);
    TABLES.put(TOKENS, FigureTables::tokens);
  }

  private FigureTables() {}

  /** Returns the names of all tables. */
  static List<String> names() {
    return List.copyOf(TABLES.keySet());
  }

  /**
   * Returns how a table is written.
   *
   * @throws ApiProblem 404 if there is none of this name
   */
  static Function<Figures.Study, FigureTable> known(String name) {
    var table = TABLES.get(name);
    if (table == null) {
      throw ApiProblem.notFound(
          "There is no figure of this name. Known are " + String.join(", ", names()) + ".");
    }
    return table;
  }

  /** Returns a row that can grow. */
  private static List<@Nullable Object> row(@Nullable Object... cells) {
    var row = new ArrayList<@Nullable Object>(cells.length);
    Collections.addAll(row, cells);
    return row;
  }

  private static Column date() {
    return new Column("date", "Date", Kind.DATE);
  }

  private static Column count(String name, String head) {
    return new Column(name, head, Kind.COUNT);
  }

  private static FigureTable adherence(Figures.Study study) {
    var adherence = study.adherence();
    return prompts(
        ADHERENCE,
        date(),
        Prompts::date,
        adherence.days(),
        adherence.flows().stream().map(flow -> new OfFlow(flow.flow(), flow.days())).toList());
  }

  private static FigureTable adherenceByStudyDay(Figures.Study study) {
    var adherence = study.adherence();
    return prompts(
        ADHERENCE_BY_STUDY_DAY,
        count("study_day", "Study day"),
        Prompts::studyDay,
        adherence.studyDays(),
        adherence.flows().stream().map(flow -> new OfFlow(flow.flow(), flow.studyDays())).toList());
  }

  private record OfFlow(String flow, List<Prompts> days) {}

  private static FigureTable prompts(
      String name,
      Column day,
      Function<Prompts, @Nullable Object> dayOf,
      List<Prompts> days,
      List<OfFlow> flows) {
    var columns =
        new ArrayList<>(
            List.of(
                day,
                count("participants", "In the study"),
                count("planned", "Planned"),
                count("sent", "Sent"),
                count("sent_to", "Participants they were sent to"),
                count("answered", "Answered"),
                count("done", "Done"),
                count("not_sent", "Not sent"),
                new Column("answered_rate", "Answered, of sent", Kind.SHARE),
                new Column("done_rate", "Done, of sent", Kind.SHARE)));
    for (var flow : flows) {
      columns.add(count("sent_" + flow.flow(), flow.flow() + ": sent"));
      columns.add(count("answered_" + flow.flow(), flow.flow() + ": answered"));
      columns.add(count("done_" + flow.flow(), flow.flow() + ": done"));
      columns.add(
          new Column("done_rate_" + flow.flow(), flow.flow() + ": done, of sent", Kind.SHARE));
    }
    var rows = new ArrayList<List<@Nullable Object>>();
    for (int i = 0; i < days.size(); i++) {
      var of = days.get(i);
      var row =
          row(
              dayOf.apply(of),
              of.participants(),
              of.planned(),
              of.sent(),
              of.sentTo(),
              of.answered(),
              of.done(),
              of.missed(),
              of.answeredRate(),
              of.doneRate());
      for (var flow : flows) {
        var one = i < flow.days().size() ? flow.days().get(i) : null;
        row.add(one == null ? 0 : one.sent());
        row.add(one == null ? 0 : one.answered());
        row.add(one == null ? 0 : one.done());
        row.add(one == null ? null : one.doneRate());
      }
      rows.add(row);
    }
    return new FigureTable(name, columns, rows);
  }

  private static FigureTable enrolment(Figures.Study study) {
    var enrolment = study.enrolment();
    var columns =
        new ArrayList<>(
            List.of(
                date(),
                count("enrolled", "Enrolled"),
                count("total", "Total"),
                count("target", "Target")));
    enrolment
        .byStatus()
        .keySet()
        .forEach(status -> columns.add(count("now_" + status, "Now " + status)));
    return new FigureTable(
        ENROLMENT,
        columns,
        enrolment.days().stream()
            .map(day -> {
              var row = row(day.date(), day.enrolled(), day.total(), day.planned());
              row.addAll(day.byStatus().values());
              return row;
            })
            .toList());
  }

  private static FigureTable dropOut(Figures.Study study) {
    var dropOut = study.dropOut();
    var columns =
        new ArrayList<>(
            List.of(
                count("study_day", "Study day"),
                count("participants", "Reached the day"),
                count("in_study", "In the study"),
                count("answering", "Still answering"),
                new Column("in_study_rate", "In the study, share", Kind.SHARE),
                new Column("answering_rate", "Still answering, share", Kind.SHARE)));
    for (var flow : dropOut.flows()) {
      columns.add(count("participants_" + flow.flow(), flow.flow() + ": reached"));
      columns.add(count("answering_" + flow.flow(), flow.flow() + ": still answering"));
      columns.add(new Column("answering_rate_" + flow.flow(), flow.flow() + ": share", Kind.SHARE));
    }
    var rows = new ArrayList<List<@Nullable Object>>();
    for (int i = 0; i < dropOut.days().size(); i++) {
      var day = dropOut.days().get(i);
      var row =
          row(
              day.studyDay(),
              day.participants(),
              day.inStudy(),
              day.answering(),
              day.inStudyRate(),
              day.answeringRate());
      for (var flow : dropOut.flows()) {
        var one = i < flow.days().size() ? flow.days().get(i) : null;
        row.add(one == null ? 0 : one.participants());
        row.add(one == null ? 0 : one.answering());
        row.add(one == null ? null : one.answeringRate());
      }
      rows.add(row);
    }
    return new FigureTable(DROP_OUT, columns, rows);
  }

  private static FigureTable timeToAnswer(Figures.Study study) {
    return new FigureTable(
        TIME_TO_ANSWER,
        List.of(
            new Column("within", "Time since the prompt", Kind.WORDS), count("answers", "Answers")),
        rows(study.answers().within()));
  }

  private static List<List<@Nullable Object>> rows(List<Figures.Within> lengths) {
    var rows = new ArrayList<List<@Nullable Object>>();
    var from = 0;
    for (var length : lengths) {
      var to = length.seconds();
      rows.add(row(to == null ? "over " + time(from) : interval(from, to), length.count()));
      from = to == null ? from : to;
    }
    return rows;
  }

  /** Returns an interval as "5–15 min", "30 min–1 h" or "1–2 h". */
  private static String interval(int from, int to) {
    return from == 0 || isHours(from) == isHours(to)
        ? (isHours(to) ? from / 3600 : from / 60) + "–" + time(to)
        : time(from) + "–" + time(to);
  }

  private static boolean isHours(int seconds) {
    return seconds >= 3600;
  }

  private static String time(int seconds) {
    return isHours(seconds) ? seconds / 3600 + " h" : seconds / 60 + " min";
  }

  private static FigureTable times(String name, List<Figures.Times> days, String what, Kind kind) {
    var unit = kind == Kind.MINUTES ? "min" : "s";
    return new FigureTable(
        name,
        List.of(
            date(),
            new Column("median_seconds", "Median, " + unit, kind),
            new Column("p90_seconds", "90th percentile, " + unit, kind),
            count("count", what)),
        days.stream()
            .map(day -> row(day.date(), day.medianSeconds(), day.p90Seconds(), day.count()))
            .toList());
  }

  private static FigureTable costs(Figures.Study study) {
    var costs = study.costs();
    var currency = costs.currency() == null ? "" : ", " + costs.currency();
    return new FigureTable(
        COSTS,
        List.of(
            date(),
            new Column("model", "Model" + currency, Kind.MONEY),
            new Column("messages", "Messages" + currency, Kind.MONEY),
            new Column("estimated", "Estimated part" + currency, Kind.MONEY),
            count("unknown", "Without a price"),
            new Column("budget", "Budget" + currency, Kind.MONEY),
            new Column("currency", "Currency", Kind.WORDS)),
        costs.days().stream()
            .map(day ->
                row(
                    day.date(),
                    day.model(),
                    day.messages(),
                    day.estimated(),
                    day.unknown(),
                    day.budget(),
                    costs.currency()))
            .toList());
  }

  private static FigureTable replyParts(Figures.Study study) {
    return new FigureTable(
        REPLY_PARTS,
        List.of(
            date(),
            new Column("queue_seconds", "Waiting in the queue, s", Kind.SECONDS),
            new Column("model_seconds", "Model, s", Kind.SECONDS),
            new Column("tools_seconds", "Tools, s", Kind.SECONDS),
            new Column("provider_seconds", "Handing over, s", Kind.SECONDS),
            new Column("rest_seconds", "Everything else, s", Kind.SECONDS),
            count("count", "Turns")),
        study.replies().partsByDay().stream()
            .map(day ->
                row(
                    day.date(),
                    day.queueSeconds(),
                    day.modelSeconds(),
                    day.toolsSeconds(),
                    day.providerSeconds(),
                    day.restSeconds(),
                    day.count()))
            .toList());
  }

  private static FigureTable messages(Figures.Study study) {
    return new FigureTable(
        MESSAGES,
        List.of(
            date(),
            count("received", "From participants"),
            count("sent", "To participants"),
            count("sent_segments", "Segments to participants")),
        study.texts().days().stream()
            .map(day -> row(day.date(), day.received(), day.sent(), day.sentSegments()))
            .toList());
  }

  private static FigureTable deliveries(Figures.Study study) {
    return new FigureTable(
        DELIVERIES,
        List.of(
            date(),
            count("delivered", "Delivered"),
            count("taken", "Accepted by the provider"),
            count("waiting", "Waiting"),
            count("not_delivered", "Not delivered")),
        study.deliveries().days().stream()
            .map(day ->
                row(day.date(), day.delivered(), day.taken(), day.waiting(), day.notDelivered()))
            .toList());
  }

  /** Returns the tokens, with three columns for each model. */
  private static FigureTable tokens(Figures.Study study) {
    var models = study.tokens().models().stream().map(Figures.ModelTokens::model).toList();
    var columns = new ArrayList<>(List.of(date()));
    for (var model : models) {
      columns.add(count("input_" + model, model + ": in"));
      columns.add(count("cached_" + model, model + ": cached"));
      columns.add(count("output_" + model, model + ": out"));
    }
    var rows = new LinkedHashMap<String, List<@Nullable Object>>();
    for (var of : study.tokens().days()) {
      var row = rows.computeIfAbsent(Objects.requireNonNull(of.date()), FigureTables::row);
      row.add(of.promptTokens());
      row.add(of.cachedTokens());
      row.add(of.completionTokens());
    }
    return new FigureTable(TOKENS, columns, List.copyOf(rows.values()));
  }
}
