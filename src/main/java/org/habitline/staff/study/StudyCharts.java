package org.habitline.staff.study;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.staff.study.StudyChart.Series;
import org.habitline.staff.study.StudyChart.Shape;
import org.habitline.study.figures.Figures;
import org.habitline.study.figures.Figures.Prompts;

/** Draws the study's figures as charts, each with a question and its answer. */
final class StudyCharts {

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH);

  /** Quantile of the normal distribution for a 95 % interval. */
  private static final double Z = 1.959964;

  /** How many lines or colours can be told apart. */
  private static final int COLOURS = 6;

  private final Figures.Study study;
  private final boolean prompted;
  private final LocalDate today;

  /**
   * @param prompted whether a flow sends daily prompts, or some were sent
   * @param today the current day in study time
   */
  StudyCharts(Figures.Study study, boolean prompted, LocalDate today) {
    this.study = study;
    this.prompted = prompted;
    this.today = today;
  }

  /** Returns the charts that answer questions of research. */
  List<StudyChart> research() {
    var charts = new ArrayList<>(List.of(enrolment(), dropOut()));
    if (prompted) {
      charts.addAll(List.of(adherence(), byStudyDay(), timeToAnswer()));
    }
    charts.add(costs());
    return List.copyOf(charts);
  }

  /** Returns the charts about the service itself. */
  List<StudyChart> engineering() {
    var charts = new ArrayList<>(List.of(replies(), replyParts(), messages(), deliveries()));
    if (prompted) {
      charts.add(answers());
    }
    if (!study.tokens().models().isEmpty()) {
      charts.add(tokens());
    }
    return List.copyOf(charts);
  }

  private FigureTable table(String name) {
    return FigureTables.known(name).apply(study);
  }

  /** Returns a part of a whole as "72% (442 of 611)", or "none" if there is no whole. */
  static String share(long part, long all) {
    return all == 0
        ? "none"
        : "%d%% (%,d of %,d)".formatted(Math.round(100.0 * part / all), part, all);
  }

  /** Returns a number with its noun: "1 turn", "2 turns". */
  private static String counted(long number, String one, String many) {
    return "%,d %s".formatted(number, number == 1 ? one : many);
  }

  private static Series series(FigureTable table, String column, String style, String label) {
    return new Series(table.position(column), null, style, label);
  }

  /** Returns a series of shares that is drawn where enough are counted. */
  private static Series shares(
      FigureTable table, String column, String of, String style, String label) {
    return new Series(table.position(column), table.position(of), style, label);
  }

  /** Returns how many are silent, as "3 silent for more than 3 days". */
  static String silent(long people, int days) {
    return "%,d silent for more than %s".formatted(people, counted(days, "day", "days"));
  }

  private StudyChart adherence() {
    var all = study.adherence().all();
    var flows = study.adherence().flows();
    var table = table(FigureTables.ADHERENCE);
    var answer =
        all.sent() == 0
            ? "No daily prompts were sent on these days."
            : "Reported as done: %s of the prompts sent. Answered: %s. Planned: %,d (%,d sent, %,d not sent, %,d still to be sent)."
                .formatted(
                    share(all.done(), all.sent()),
                    share(all.answered(), all.sent()),
                    all.planned(),
                    all.sent(),
                    all.missed(),
                    all.planned() - all.sent() - all.missed());
    if (all.sent() > 0) {
      answer += " " + outcomes(all.sent(), study.adherence().outcomes());
    }
    if (!flows.isEmpty()) {
      answer +=
          flows.stream()
              .map(flow ->
                  "%s: %s done".formatted(flow.flow(), share(flow.all().done(), flow.all().sent())))
              .collect(Collectors.joining("; ", " ", "."));
    }
    return new StudyChart(
        "Do participants do the habit?", answer, Shape.LINE, "%", true, rates(table), table);
  }

  /** Returns what came of the prompts that were sent; the numbers add up to them. */
  private static String outcomes(long sent, Figures.Outcomes of) {
    return "Of the %,d sent: %,d done, %,d partly, %,d not done, %,d answered with the outcome unknown, %,d without an answer, %,d still open."
        .formatted(
            sent, of.done(), of.partly(), of.notDone(), of.answered(), of.unanswered(), of.open());
  }

  /** Returns a line for each flow, or lines for done and answered if there is only one flow. */
  private List<Series> rates(FigureTable table) {
    var flows = study.adherence().flows();
    return flows.isEmpty()
        ? List.of(
            rate(table, "done_rate", "sent", "l1", "Done, of the prompts sent"),
            rate(table, "answered_rate", "sent", "l2", "Answered, of the prompts sent"))
        : IntStream.range(0, Math.min(COLOURS, flows.size()))
            .mapToObj(i -> {
              var flow = flows.get(i);
              return rate(
                  table,
                  "done_rate_" + flow.flow(),
                  "sent_" + flow.flow(),
                  "l" + (i + 1),
                  "%s, done (n = %,d)".formatted(flow.flow(), flow.all().participants()));
            })
            .toList();
  }

  /** Returns a line of the results of prompts; one by study day leaves out days with few. */
  private static Series rate(
      FigureTable table, String column, String of, String style, String label) {
    return table.name().equals(FigureTables.ADHERENCE_BY_STUDY_DAY)
        ? shares(table, column, of, style, label)
        : series(table, column, style, label);
  }

  private StudyChart byStudyDay() {
    var days =
        study.adherence().studyDays().stream()
            .filter(day -> day.sent() >= StudyChart.LEAST)
            .toList();
    var table = table(FigureTables.ADHERENCE_BY_STUDY_DAY);
    return new StudyChart(
        "Does it last?",
        study.adherence().all().sent() == 0
            ? "No daily prompts were sent on these days."
            : days.isEmpty()
                ? "No study day has 5 daily prompts sent yet."
                : days.size() == 1
                    ? onStudyDay(days.getFirst())
                    : onStudyDay(days.getFirst())
                        + " "
                        + onStudyDay(days.getLast())
                        + " The intervals (Wilson) treat prompts as independent. Days with fewer than 5 prompts sent are not drawn.",
        Shape.LINE,
        "%",
        false,
        rates(table),
        table);
  }

  private static String onStudyDay(Prompts day) {
    var sentTo = Objects.requireNonNullElse(day.sentTo(), 0L);
    return "Study day %d: %s done, 95%% interval %s, n = %s."
        .formatted(
            day.studyDay(),
            share(day.done(), day.sent()),
            interval(day.done(), day.sent()),
            counted(sentTo, "participant", "participants"));
  }

  /**
   * Returns the 95 % interval of a share as "19% to 81%". Wilson's (1927) stays between 0 and 1 and
   * holds for small numbers; {@code all} must be positive.
   */
  static String interval(long part, long all) {
    var share = (double) part / all;
    var z = Z * Z / all;
    var middle = (share + z / 2) / (1 + z);
    var half = Z / (1 + z) * Math.sqrt(share * (1 - share) / all + z / (4 * all));
    return "%d%% to %d%%"
        .formatted(
            Math.round(100 * Math.max(0, middle - half)),
            Math.round(100 * Math.min(1, middle + half)));
  }

  private StudyChart dropOut() {
    var dropOut = study.dropOut();
    var table = table(FigureTables.DROP_OUT);
    var series =
        dropOut.flows().isEmpty()
            ? Stream.of(
                shares(table, "answering_rate", "participants", "l1", "Still answering"),
                shares(table, "in_study_rate", "participants", "l2", "Not opted out or withdrawn"))
            : IntStream.range(0, Math.min(COLOURS, dropOut.flows().size()))
                .mapToObj(i -> {
                  var flow = dropOut.flows().get(i);
                  return shares(
                      table,
                      "answering_rate_" + flow.flow(),
                      "participants_" + flow.flow(),
                      "l" + (i + 1),
                      "%s, still answering (n = %,d)".formatted(flow.flow(), flow.participants()));
                });
    return new StudyChart(
        "Do they stay?",
        "%s dropped out: %,d opted out or withdrawn before completing, %s. %s %s"
            .formatted(
                share(dropOut.droppedOut(), dropOut.participants()),
                dropOut.left(),
                silent(dropOut.droppedOut() - dropOut.left(), dropOut.silentAfterDays()),
                dropOut.days().stream().noneMatch(day -> day.participants() >= StudyChart.LEAST)
                    ? "The chart begins once 5 participants have been in the study for longer than"
                        + " that."
                    : "The number under each study day (n) is how many participants are counted. Days with fewer than 5 are not drawn.",
                dropOut.silentAfterDays() == 1
                    ? "Drop-out is not known yet for the last day."
                    : "Drop-out is not known yet for the last %d days."
                        .formatted(dropOut.silentAfterDays())),
        Shape.STEPS,
        "%",
        false,
        series.toList(),
        table);
  }

  private StudyChart enrolment() {
    var enrolment = study.enrolment();
    var table = table(FigureTables.ENROLMENT);
    var target = enrolment.target();
    var lines = new ArrayList<>(List.of(series(table, "total", "l1", "Enrolled")));
    if (target != null) {
      lines.add(series(table, "target", "lt", "Target"));
    }
    return new StudyChart(
        target == null ? "How many have enrolled?" : "Is enrolment on target?",
        (target == null
                ? "%,d enrolled, %,d of them on these days. No target is set."
                    .formatted(enrolment.total(), enrolledOnTheseDays())
                : onTarget(enrolment.total(), target))
            + (enrolment.erased() == 0
                ? ""
                : " Erased since their enrolment: %,d. No chart counts erased participants."
                    .formatted(enrolment.erased())),
        Shape.STEPS,
        "participants",
        false,
        target == null ? 0 : target,
        lines,
        table);
  }

  private long enrolledOnTheseDays() {
    return study.enrolment().days().stream().mapToLong(Figures.Enrolled::enrolled).sum();
  }

  private String onTarget(long enrolled, long target) {
    var words = new StringBuilder("%,d of %,d enrolled.".formatted(enrolled, target));
    if (enrolled >= target) {
      return words.append(" The target is reached.").toString();
    }
    plan().ifPresent(plan -> words.append(' ').append(plan));
    var days = study.enrolment().days().size();
    var pace = (double) enrolledOnTheseDays() / days;
    if (pace > 0) {
      var left = (long) Math.ceil((target - enrolled) / pace);
      if (left < Figures.MOST_DAYS) {
        words
            .append(" At this pace, the target will be reached on ")
            .append(DAY.format(today.plusDays(left)))
            .append('.');
      }
    }
    return words.toString();
  }

  /** Returns how far enrolment is ahead of its plan by now, if there is a plan of days. */
  private Optional<String> plan() {
    var last = study.enrolment().days().getLast();
    var planned = last.planned();
    var target = study.enrolment().target();
    if (planned == null || target == null || planned.intValue() == target) {
      return Optional.empty();
    }
    var ahead = last.total() - planned;
    return Optional.of(
        ahead == 0
            ? "As planned."
            : "%,d %s plan.".formatted(Math.abs(ahead), ahead > 0 ? "ahead of" : "behind"));
  }

  private StudyChart timeToAnswer() {
    var table = table(FigureTables.TIME_TO_ANSWER);
    return new StudyChart(
        "How soon do they answer?",
        times(study.answers().all(), "answer", "answers") + aboutAnswers(),
        Shape.BAR,
        "answers",
        false,
        List.of(series(table, "answers", "f1", "Answers, by time since the prompt")),
        table);
  }

  private String aboutAnswers() {
    var words = new StringBuilder();
    var longest = study.answers().longestSeconds();
    if (longest != null) {
      words
          .append(" The longest took ")
          .append(StudyPage.time(longest))
          .append(". Intervals widen to the right.");
    }
    var all = study.adherence().all();
    var unanswered = all.sent() - all.answered();
    if (unanswered > 0) {
      words.append(
          " %,d of %,d prompts sent have no answer and are not counted here."
              .formatted(unanswered, all.sent()));
    }
    return words.toString();
  }

  private static String times(Figures.Times times, String one, String many) {
    return times.count() == 0
        ? "No " + many + " on these days."
        : "Median %s; 90th percentile %s; %s."
            .formatted(
                StudyPage.time(times.medianSeconds()),
                StudyPage.time(times.p90Seconds()),
                counted(times.count(), one, many));
  }

  private StudyChart costs() {
    var costs = study.costs();
    var table = table(FigureTables.COSTS);
    var parts = new ArrayList<StudyChart.Series>();
    // Without a known price, a picture would show nothing but zeros.
    if (costs.currency() != null) {
      parts.add(series(table, "model", "f1", "Model"));
      parts.add(series(table, "messages", "f2", "Messages"));
    }
    if (costs.dailyBudget() != null) {
      parts.add(series(table, "budget", "lt", "Daily budget"));
    }
    return new StudyChart(
        costs.dailyBudget() == null ? "What does it cost?" : "Is cost within budget?",
        spent(costs),
        Shape.STACKED,
        costs.currency() == null ? "" : costs.currency(),
        true,
        parts,
        table);
  }

  private static String spent(Figures.Costs costs) {
    var words = new ArrayList<String>();
    var currency = costs.currency();
    if (currency == null) {
      words.add("Nothing with a known price was used on these days.");
    } else {
      words.add(
          "%s on these days: model %s, messages %s."
              .formatted(
                  money(costs.total(), currency),
                  FigureTable.money(costs.model()),
                  FigureTable.money(costs.messages())));
      if (costs.estimated().signum() > 0) {
        words.add("%s of it is estimated.".formatted(FigureTable.money(costs.estimated())));
      }
      budget(costs, currency, words);
    }
    if (costs.unknown() > 0) {
      words.add(
          "%s no known price and %s not in it."
              .formatted(
                  counted(costs.unknown(), "call or message has", "calls and messages have"),
                  costs.unknown() == 1 ? "is" : "are"));
    }
    costs.other().forEach((other, amount) -> words.add("Also %s.".formatted(money(amount, other))));
    return String.join(" ", words);
  }

  private static void budget(Figures.Costs costs, String currency, List<String> words) {
    var budget = costs.dailyBudget();
    if (budget == null) {
      words.add("No daily budget is set.");
      return;
    }
    var over = costs.days().stream().filter(day -> cost(day).compareTo(budget) > 0).count();
    var most =
        costs.days().stream()
            .map(StudyCharts::cost)
            .max(BigDecimal::compareTo)
            .orElse(BigDecimal.ZERO);
    words.add(
        over == 0
            ? "The daily budget is %s; the most expensive day cost %s (%s%%)."
                .formatted(
                    money(budget, currency),
                    FigureTable.money(most),
                    most.movePointRight(2).divide(budget, 0, RoundingMode.HALF_UP).toPlainString())
            : "The daily budget is %s; it was exceeded on %s."
                .formatted(money(budget, currency), counted(over, "day", "days")));
  }

  private static BigDecimal cost(Figures.CostsOfDay day) {
    return day.model().add(day.messages());
  }

  static String money(BigDecimal amount, String currency) {
    return FigureTable.money(amount) + " " + currency;
  }

  private StudyChart replies() {
    var table = table(FigureTables.REPLIES);
    return new StudyChart(
        "How soon does the coach reply?",
        times(study.replies().all(), "turn", "turns"),
        Shape.LINE,
        "seconds",
        false,
        List.of(
            series(table, "median_seconds", "l1", "Median"),
            series(table, "p90_seconds", "l2", "90th percentile")),
        table);
  }

  private StudyChart replyParts() {
    var table = table(FigureTables.REPLY_PARTS);
    var split = study.replies().parts();
    return new StudyChart(
        "What takes time before a reply?",
        split.stream().allMatch(part -> part.count() == 0)
            ? "No turns on these days."
            : split.stream()
                    .map(part ->
                        "%s %s"
                            .formatted(part.part().title(), StudyPage.time(part.medianSeconds())))
                    .collect(Collectors.joining("; ", "Medians: ", "."))
                + " The chart shows means, so that the parts add up.",
        Shape.STACKED,
        "seconds",
        false,
        List.of(
            series(table, "queue_seconds", "f1", Figures.Part.QUEUE.title()),
            series(table, "model_seconds", "f2", Figures.Part.MODEL.title()),
            series(table, "tools_seconds", "f3", Figures.Part.TOOLS.title()),
            series(table, "provider_seconds", "f4", Figures.Part.PROVIDER.title()),
            series(table, "rest_seconds", "f5", Figures.Part.REST.title())),
        table);
  }

  private StudyChart messages() {
    var table = table(FigureTables.MESSAGES);
    var texts = study.texts();
    return new StudyChart(
        "How much is written?",
        "Texts from participants: %,d. Messages to participants: %,d, charged as %,d segments."
            .formatted(texts.received(), texts.sent(), texts.sentSegments()),
        Shape.BAR,
        "messages",
        false,
        List.of(
            series(table, "received", "f1", "From participants"),
            series(table, "sent", "f2", "To participants")),
        table);
  }

  private StudyChart deliveries() {
    var table = table(FigureTables.DELIVERIES);
    var days = study.deliveries().days();
    var failed = days.stream().mapToLong(Figures.DeliveriesOfDay::notDelivered).sum();
    var all = study.deliveries().byStatus().values().stream().mapToLong(Long::longValue).sum();
    return new StudyChart(
        "Do messages arrive?",
        all == 0
            ? "No messages on these days."
            : "Not delivered: %s. %s"
                .formatted(
                    share(failed, all),
                    study.deliveries().byStatus().entrySet().stream()
                        .map(status -> "%s %,d".formatted(status.getKey(), status.getValue()))
                        .collect(Collectors.joining(", ", "By status: ", "."))),
        Shape.STACKED,
        "messages",
        false,
        List.of(
            series(table, "delivered", "f1", "Delivered"),
            series(table, "taken", "f3", "Accepted by the provider"),
            series(table, "waiting", "f5", "Waiting"),
            series(table, "not_delivered", "f2", "Not delivered")),
        table);
  }

  private StudyChart answers() {
    var table = table(FigureTables.ANSWERS);
    return new StudyChart(
        "Does the time to answer change?",
        "By the date of the prompt. " + times(study.answers().all(), "answer", "answers"),
        Shape.LINE,
        "minutes",
        false,
        List.of(
            series(table, "median_seconds", "l1", "Median"),
            series(table, "p90_seconds", "l2", "90th percentile")),
        table);
  }

  private StudyChart tokens() {
    var table = table(FigureTables.TOKENS);
    var models = study.tokens().models();
    var parts = new ArrayList<Series>();
    for (int i = 0; i < Math.min(COLOURS / 2, models.size()); i++) {
      var model = models.get(i).model();
      parts.add(series(table, "input_" + model, "f" + (2 * i + 1), model + ", in"));
      parts.add(series(table, "output_" + model, "f" + (2 * i + 2), model + ", out"));
    }
    return new StudyChart(
        "How many tokens are used?",
        models.stream()
            .map(model ->
                "%s: %s, %,d tokens in%s, %,d out"
                    .formatted(
                        model.model(),
                        counted(model.calls(), "call", "calls"),
                        model.promptTokens(),
                        model.cachedTokens() == null
                            ? ""
                            : " (%,d cached)".formatted(model.cachedTokens()),
                        model.completionTokens()))
            .collect(Collectors.joining("; ", "", ".")),
        Shape.STACKED,
        "tokens",
        false,
        parts,
        table);
  }
}
