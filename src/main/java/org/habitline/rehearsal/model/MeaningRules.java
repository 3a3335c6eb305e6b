package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Maps words in a clause to meanings. Words that carry a value, such as times, have their own
 * classes.
 */
final class MeaningRules {

  private static final Map<Meaning, Pattern> RULES = new EnumMap<>(Meaning.class);

  /** Words that may come before the name of the daily prompt. */
  private static final String DAILY =
      "(?: (?:the|my|your|these|those|this|any|all|more|daily|habit|scheduled|morning|afternoon"
          + "|evening|\\d[\\d:.]*(?: ?[ap]m)?))* ";

  static {
    RULES.put(
        Meaning.CRISIS,
        rule(
            "\\bkill(?:ing)? my ?self\\b|\\bsuicid|\\b(?:want|wish|going|ready) to die\\b"
                + "|\\bend(?:ing)? (?:my life|it all)\\b|\\bhurt(?:ing)? my ?self\\b"
                + "|\\bharm(?:ing)? my ?self\\b|\\bself[- ]?harm|\\bdon'?t want to (?:live"
                + "|be alive|exist)\\b|\\bno reason to live\\b|\\bbetter off dead\\b"
                + "|\\bcan'?t go on (?:any ?more|like this|living)\\b|\\b(?:wish i was"
                + "|wish i were) dead\\b|\\btake my (?:own )?life\\b"));
    RULES.put(
        Meaning.HEALTH,
        rule(
            "\\b(?:pain|painful|hurts?|aches?|headaches?|migraine|dizzy|dizziness"
                + "|faint(?:ed|ing)?|injur(?:y|ed)|surgery|pregnan\\w*|rash|swollen|swelling|bleeding|sprained|medication|medicine|pills?"
                + "|diagnos\\w+|symptoms?|disease|diabet\\w+|asthma|blood pressure"
                + "|heart (?:problem|condition|attack|disease)|bad (?:knee|back|hip|heart)"
                + "|doctor said|is (?:it|this) safe)\\b"));
    RULES.put(
        Meaning.ADVERSE_EVENT, rule("\\b(?:rash|swollen|swelling|bleeding|sprained|fell over)\\b"));
    RULES.put(
        Meaning.UNWILLING,
        rule(
            "\\bfuck|\\bleave me alone\\b|\\bgo away\\b|\\bshut up\\b|\\bstop (?:it|texting"
                + "|bothering)\\b|\\b(?:this|it|that)(?:'s| is) (?:so )?(?:stupid|annoying"
                + "|pointless|useless|boring)\\b"));
    RULES.put(
        Meaning.ABOUT,
        rule(
            "\\bwho(?:'s| is| are) (?:this|you|there)\\b|\\bwhat are you\\b"
                + "|\\bare you (?:an? |really )?(?:real|human|bot|robot|ai|person|machine|program"
                + "|script|chat ?gpt|llm)\\b|\\bis this (?:an? )?(?:real|ai|bot|robot|human"
                + "|person|machine|rehearsal|test)\\b|\\bam i (?:talking|texting)\\b"
                + "|\\byour name\\b"));
    RULES.put(
        Meaning.ABILITY,
        rule(
            "\\bwhat (?:can|do|will) you do\\b|\\bwhat(?:'s| is) (?:this|this for"
                + "|this about)$|\\bhow does (?:this|it) work\\b|\\bwhat (?:can|should) i (?:do"
                + "|say|text)\\b|^help\\b|\\bwhat happens (?:now|next)\\b"
                + "|\\bi don'?t (?:understand|get it)\\b"));
    RULES.put(
        Meaning.REMINDER,
        rule(
            "\\bremind me\\b|\\bset (?:a |an )?(?:reminder|alarm)\\b|\\b(?:will|can"
                + "|could) you (?:text|message|ping|nudge) me\\b|\\bwhen (?:will|do) you (?:text"
                + "|message|remind)\\b"));
    RULES.put(
        Meaning.HELLO,
        rule("^(?:hi|hello|hey|hiya|howdy|yo|good (?:morning|afternoon|evening|day))\\b"));
    RULES.put(
        Meaning.THANKS,
        rule("^(?:thanks|thank you|thx|ty|cheers|many thanks|much appreciated)\\b|^(?:🙏|❤)"));
    RULES.put(
        Meaning.LATER,
        rule(
            "^(?:maybe )?(?:later|another time|some other time|not now|not today|tomorrow"
                + "|in a bit|bye|goodbye|good ?night|see you|talk later|gotta go|i have to go"
                + "|can't talk)\\b|^(?:i'm )?busy(?: right)?(?: now)?$"));
    RULES.put(
        Meaning.YES,
        rule(
            "^(?:yes+|yep|yeah+|yup|ya|sure|ok|okay|okey|k|y|alright|all right|of course"
                + "|absolutely|definitely|certainly|please|pls|sounds (?:good|great)|go ahead"
                + "|go on|let'?s do (?:it|that)|why not|i'm in(?! \\w)|(?:i'm )?ready|fine|great|perfect"
                + "|cool|gladly|(?:i'd )?love to|i would|i do|no (?:problem|worries))(?=\\W|$)"
                + "|^(?:👍|✅|👌|🆗)"));
    RULES.put(
        Meaning.NO,
        rule(
            "^(?:no+|nope|nah|n|not (?:now|today|really|yet|interested)|(?:i'd )?rather not"
                + "|never|don'?t|i (?:do not|don'?t) (?:want|think so|feel like)|skip(?: it)?"
                + "|pass|maybe later|later|next time)(?=\\W|$)(?! (?:problem|worries|wait|idea"
                + "|preference|clue|matter|time\\b))|^👎"));
    RULES.put(
        Meaning.NOW,
        rule(
            "^(?:(?:yes|yeah|ok|sure|please) )?(?:right )?now(?: please| pls| then)?$"
                + "|\\b(?:try|do|start|begin)(?: it| this| that| one)? (?:right "
                + "|straight )?(?:now|away)\\b|\\blet'?s (?:try|go|start)\\b|^(?:straight"
                + "|right) away\\b|^immediately\\b|^try it$|^the first(?: one)?$"));
    RULES.put(
        Meaning.PERSONAL,
        rule(
            "\\b(?:personal|personali[sz]ed?|customi[sz]ed?|tailor(?:ed)?|make it mine"
                + "|my own)\\b|^the (?:second|latter)(?: one)?$|^set (?:it|this) up\\b"));
    RULES.put(
        Meaning.VAGUE,
        rule(
            "^(?:i )?(?:dunno|do(?:n'?t| not) (?:really )?(?:know|care|mind))\\b|^idk\\b"
                + "|^whatever\\b|^maybe$|^(?:i'm )?not (?:so |really |quite )?sure\\b|^no (?:idea"
                + "|preference|clue)\\b|^any(?:thing|time|where)?$|^any ?time\\b"
                + "|^when(?:ever)? (?:i|we) (?:can|have|get|feel)\\b|^(?:(?:ha|he){2,}h?|lo+l"
                + "|lmao)$|^whenever$|^hmm*$|^meh$|^(?:it )?depends\\b|^(?:you (?:choose|decide"
                + "|pick))\\b|^(?:it's )?up to you\\b|^(?:it )?does(?:n'?t| not) matter\\b"
                + "|^either(?: one)?$|^something$|^i guess$|^perhaps$|^some ?times?$|^🤷|^kind of$"
                + "|^sort of$|^both$"));
    RULES.put(
        Meaning.NOTHING,
        rule(
            "^(?:nothing|none|no changes?|not?hing else|that(?:'s| is) (?:all|it"
                + "|everything)|all good|it(?:'s| is| was) (?:all )?(?:fine|good|great|perfect|ok"
                + "|okay)|keep it|leave it|as it is|good as is|i'm (?:good|fine|all set)|all fine"
                + "|same as (?:now|before)|i wouldn'?t change)\\b"));
    RULES.put(
        Meaning.CORRECTION,
        rule(
            "\\b(?:actually|scratch that|instead|i meant?|rather(?! not)|make it(?! (?:mine"
                + "|personal))|change (?:it|that|my|the)|switch|move it|i'd prefer|i prefer"
                + "|let'?s make it|could we|can we)\\b|^(?:no )?wait\\b|^sorry\\b|^correction\\b"));
    RULES.put(
        Meaning.NOT_TRIED,
        rule(
            "\\b(?:didn'?t|did not|haven'?t|have not|couldn'?t|could not|wasn'?t able"
                + "|forgot|missed it|skipped|no (?:time|chance)|not (?:yet|done|tried)|next time"
                + "|never got|too busy|failed to)\\b"));
    RULES.put(
        Meaning.TRIED,
        rule(
            "\\b(?:i did(?!n'?t| not)|did it|done|(?:i )?(?:have |'ve )?tried|managed"
                + "|finished|completed it|i liked it|it (?:went|worked|felt) (?:well|good|great"
                + "|fine|ok|okay|easy|nice)|i (?:just )?(?:walked|stretched|breathed|took))\\b|^✅"));
    RULES.put(
        Meaning.NEW_PROMPT,
        rule(
            "\\b(?:new|another|fresh|different|next|my) (?:habit )?(?:prompt|nudge|one|idea"
                + "|suggestion)\\b|\\bsend (?:me )?(?:one|it|a prompt|a nudge|something)\\b"
                + "|\\bgive me (?:one|a|another|something)\\b"));
    RULES.put(
        Meaning.NO_PROMPTS,
        rule(
            "(?<!not )(?<!n't )(?<!never )(?<!(?:don't|not) want to )(?:\\b(?:stop|cancel|end|quit"
                + "|delete|remove|disable|pause|turn off|switch off|no more)"
                + "(?: (?:sending|getting|with|me|all))*"
                + DAILY
                + "(?:prompt|reminder|nudge|notification|schedule|ping|alarm)s?\\b"
                + "|\\b(?:turn|switch)"
                + DAILY
                + "(?:prompt|reminder|nudge|notification|schedule|ping|alarm)s? off\\b)"
                + "|\\b(?:don'?t|do not|no longer) (?:want|need|send)"
                + "(?: me| to (?:get|receive|have))*"
                + DAILY
                + "(?:prompts|reminders|nudges|notifications|pings|alarms)\\b"));
  }

  private MeaningRules() {}

  static Set<Meaning> of(Clause clause) {
    var found = EnumSet.noneOf(Meaning.class);
    RULES.forEach((meaning, rule) -> {
      if (rule.matcher(clause.text()).find()) {
        found.add(meaning);
      }
    });
    if (found.contains(Meaning.NOT_TRIED)) {
      found.remove(Meaning.TRIED);
    }
    return found;
  }
}
