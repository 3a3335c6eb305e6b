package org.habitline.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.Flow;
import org.habitline.flows.ProfileField;
import org.habitline.rehearsal.model.Questions;

/**
 * What the modules of a flow did in a rehearsal, counted from the messages on the phones, the
 * change log and the journal of tool calls.
 *
 * @param asked how often each field was asked for
 * @param saved how many participants have saved each field
 * @param moved how often each move to another module was made, such as {@code A → B}
 * @param calls how often each tool was called, by the status of the result, such as {@code
 *     add_task, success}
 * @param checked how many texts of the model the gates let pass, and how many each gate blocked
 */
record Doings(
    SortedMap<String, Long> asked,
    SortedMap<String, Long> saved,
    SortedMap<String, Long> moved,
    SortedMap<String, Long> calls,
    SortedMap<String, Long> checked) {

  private static final String ERROR = "error";

  static Doings in(Flow flow, Evidence evidence) {
    var asked = new TreeMap<String, Long>();
    evidence.phones().stream()
        .flatMap(text -> Questions.askedIn(text.body(), flow.profile()).stream())
        .forEach(field -> count(asked, field.name()));
    var saved = new TreeMap<String, Long>();
    evidence.saved().stream()
        .distinct()
        .filter(change -> flow.profile().stream().anyMatch(it -> it.name().equals(change.field())))
        .forEach(change -> count(saved, change.field()));
    var moved = new TreeMap<String, Long>();
    var calls = new TreeMap<String, Long>();
    calls(evidence)
        .forEach(call -> {
          count(calls, call.tool() + ", " + call.status());
          var from = call.result().path("from").asText();
          var to = call.result().path("to").asText();
          if (call.status().equals("success") && !from.isEmpty() && !to.isEmpty()) {
            count(moved, from + " → " + to);
          }
        });
    return new Doings(asked, saved, moved, calls, checked(evidence));
  }

  private static SortedMap<String, Long> checked(Evidence evidence) {
    var checked = new TreeMap<String, Long>();
    for (var iteration : evidence.iterations()) {
      var metadata = TurnJson.tree(iteration.metadata());
      var verdict = metadata.path("gate_verdict").asText();
      if (!verdict.isEmpty()) {
        var result = metadata.path("gate_result").asText();
        count(checked, result.isEmpty() ? verdict : verdict + ", " + result);
      }
    }
    return checked;
  }

  private static void count(SortedMap<String, Long> counts, String name) {
    counts.merge(name, 1L, Long::sum);
  }

  private record Call(String participantId, String tool, String status, JsonNode result) {}

  private static Stream<Call> calls(Evidence evidence) {
    return evidence.iterations().stream()
        .filter(iteration -> iteration.child() == 0)
        .flatMap(iteration ->
            TurnJson.calls(iteration.toolCalls()).stream()
                .map(call -> {
                  var result = call.result() == null ? "{}" : call.result();
                  return new Call(
                      iteration.participantId(),
                      call.name(),
                      TurnJson.status(result),
                      TurnJson.treeOrText(result));
                }));
  }

  /**
   * Returns one sentence for each tool call that failed, and for each required field that one of
   * these participants never saved.
   */
  static List<String> anomalies(Flow flow, SortedMap<String, String> phones, Evidence evidence) {
    var found = new ArrayList<String>();
    calls(evidence)
        .filter(call -> call.status().equals(ERROR))
        .forEach(call ->
            found.add(
                "%s: a call of %s failed: %s"
                    .formatted(
                        phones.get(call.participantId()),
                        call.tool(),
                        call.result().path("message").asText("no reason given"))));
    var saved = List.copyOf(evidence.saved());
    phones.forEach((id, phone) ->
        flow.profile().stream()
            .filter(ProfileField::required)
            .filter(field -> !saved.contains(new JdbcEvidence.Saved(id, field.name())))
            .forEach(field ->
                found.add("%s: the field %s was never saved.".formatted(phone, field.name()))));
    return List.copyOf(found);
  }
}
