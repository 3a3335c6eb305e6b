// Live pages: on each event of the stream, the page asks the server for its current content.
(() => {
  'use strict';

  const url = document.body.dataset.live;
  if (url) {
    // Milliseconds. A burst of events causes one refresh; pages about all participants refresh less often.
    const PAUSE = url.includes('participant=') ? 150 : 500;
    const TYPES = ['message.received', 'message.completed', 'turn.started', 'turn.completed', 'turn.failed',
      'delivery.updated', 'participant.changed', 'incident.changed', 'flag.changed'];
    const notLive = document.getElementById('not-live');
    let planned = false;
    const refresh = () => {
      if (!planned) {
        planned = true;
        setTimeout(() => {
          planned = false;
          htmx.trigger(document.body, 'live');
        }, PAUSE);
      }
    };
    const source = new EventSource(url);
    TYPES.forEach((type) => source.addEventListener(type, refresh));
    // The server ends each stream after some minutes, and the browser connects again at once.
    const CUT = 10000; // milliseconds
    let cut = 0;
    source.addEventListener('open', () => {
      clearTimeout(cut);
      notLive.hidden = true;
      refresh();
    });
    source.addEventListener('error', () => {
      clearTimeout(cut);
      cut = setTimeout(() => {
        notLive.hidden = source.readyState === EventSource.OPEN;
      }, CUT);
      if (source.readyState === EventSource.CLOSED) {
        // Refused: if the session has ended, the answer to a refresh leads to the sign-in page.
        refresh();
      }
    });
    addEventListener('pagehide', () => source.close());

    const again = (part) => {
      htmx.ajax('GET', location.pathname + location.search, {target: part, select: part, swap: 'outerHTML'});
    };

    // The time by which every node knows of the change.
    const HEARD = 700; // milliseconds
    source.addEventListener('sending.changed', () => setTimeout(() => {
      again('#stop');
      // Does not replace a form in which someone writes a reason. If sending is stopped already, the server says so.
      if (!document.querySelector('#stop-control details[open]')) {
        again('#stop-control');
      }
    }, HEARD));

    source.addEventListener('incident.changed', () => setTimeout(() => again('#danger'), HEARD));

    // A turn may have planned something: the clock of a rehearsal shows the next event.
    let clockPlanned = false;
    source.addEventListener('turn.completed', () => {
      if (!clockPlanned && document.getElementById('clock')) {
        clockPlanned = true;
        setTimeout(() => {
          clockPlanned = false;
          again('#clock');
        }, HEARD);
      }
    });

    // Shows a reply while it is written, and clears it when the reply is in the log.
    const reply = document.getElementById('reply');
    if (reply) {
      const text = document.getElementById('reply-text');
      let heard = {turn: 0, try: 0};
      const show = (words) => {
        text.textContent = words;
        reply.hidden = words === '';
      };
      const told = (event) => JSON.parse(event.data).payload;
      const isNew = (said) => said.turn > heard.turn || (said.turn === heard.turn && said.try > heard.try);
      const isOld = (said) => said.turn < heard.turn || (said.turn === heard.turn && said.try < heard.try);
      const listen = (said) => {
        if (isNew(said)) {
          heard = said;
          show('');
        }
        return !isOld(said);
      };
      source.addEventListener('message.delta', (event) => {
        const said = told(event);
        if (listen(said) && said.place === text.textContent.length) {
          show(text.textContent + said.text);
        }
      });
      source.addEventListener('message.reset', (event) => {
        if (listen(told(event))) {
          show('');
        }
      });
      document.body.addEventListener('htmx:oobAfterSwap', (event) => {
        if (event.detail.target.id === 'log') {
          show('');
        }
      });
    }
  }

  // A list of participants: one box selects the whole page, and the list stays as it is while any row is selected.
  document.documentElement.dataset.scripts = '';
  const rowsSelected = (how) => document.querySelectorAll(`#people tbody .sel input${how}`);
  document.addEventListener('change', (event) => {
    if (event.target.id === 'select-page') {
      rowsSelected('').forEach((box) => {
        box.checked = event.target.checked;
      });
    }
  });
  // Clear on the bar of the selection.
  document.addEventListener('reset', (event) => {
    const all = document.getElementById('select-page');
    if (event.target.id === 'selection' && all) {
      all.checked = false;
    }
  });
  document.body.addEventListener('htmx:beforeRequest', (event) => {
    if (event.detail.elt.id === 'people' && rowsSelected(':checked').length > 0) {
      event.preventDefault();
    }
  });

  // A menu closes when the reader clicks elsewhere or presses Escape.
  const openMenus = () => document.querySelectorAll('details.menu[open]');
  document.addEventListener('click', (event) => {
    openMenus().forEach((menu) => {
      if (!menu.contains(event.target)) {
        menu.open = false;
      }
    });
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      openMenus().forEach((menu) => {
        menu.open = false;
        menu.querySelector('summary').focus();
      });
    }
  });

  // A login link carries its token behind the number sign, which no browser sends and no proxy logs.
  const TOKEN = '#token=';
  const byLink = document.getElementById('by-link');
  const takeLink = () => {
    if (location.hash.startsWith(TOKEN)) {
      document.getElementById('secret').value = location.hash.slice(TOKEN.length);
      document.getElementById('by-key').hidden = true;
      document.getElementById('other-ways').open = true;
      const byAccount = document.getElementById('by-account');
      if (byAccount) {
        byAccount.hidden = true;
      }
      byLink.hidden = false;
      document.querySelector('#sign-in [type=submit]').textContent = 'Sign in';
      document.getElementById('name').focus();
      history.replaceState(null, '', location.pathname);
    }
  };
  if (byLink) {
    takeLink();
    addEventListener('hashchange', takeLink);
  }

  // So does the link of an invitation.
  const invitation = document.getElementById('invitation-token');
  if (invitation && location.hash.startsWith(TOKEN)) {
    invitation.value = location.hash.slice(TOKEN.length);
    history.replaceState(null, '', location.pathname);
  }

  // Why? opens the explanation of a reply beside the conversation; without it, the link leads to the page of the turn.
  const why = document.getElementById('why');
  if (why) {
    let opener = null;
    const open = (link) => {
      opener = link;
      document.querySelectorAll('.msg.is-open').forEach((message) => message.classList.remove('is-open'));
      link.closest('.msg').classList.add('is-open');
      document.getElementById('why-page').href = link.href;
      document.getElementById('why-body').textContent = 'Loading …';
      why.hidden = false;
      keepInView();
      htmx.ajax('GET', link.getAttribute('href'), {target: '#why-body', swap: 'innerHTML'});
      why.focus();
    };
    // The message stays in view beside its explanation, or above it on a phone, also when the phone is turned.
    const end = document.querySelector('.conv-end');
    const keepInView = () => {
      const message = document.querySelector('.msg.is-open');
      if (message) {
        const view = message.closest('.conv-body');
        const from = view.getBoundingClientRect();
        const sheet = why.getBoundingClientRect();
        const covered = sheet.left <= from.left && sheet.top > from.top ? Math.max(0, from.bottom - sheet.top) : 0;
        end.style.paddingBottom = `${covered}px`;
        const bottom = from.bottom - covered;
        const at = message.getBoundingClientRect();
        if (at.bottom > bottom) {
          view.scrollTop += at.bottom - bottom + 8;
        } else if (at.top < from.top) {
          view.scrollTop += at.top - from.top - 8;
        }
      }
    };
    addEventListener('resize', keepInView);
    why.addEventListener('htmx:afterSettle', keepInView);
    const close = () => {
      why.hidden = true;
      end.style.paddingBottom = '';
      document.querySelectorAll('.msg.is-open').forEach((message) => message.classList.remove('is-open'));
      if (opener) {
        opener.focus();
      }
    };
    document.addEventListener('click', (event) => {
      const link = event.target.closest('a.why');
      if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        open(link);
      }
    });
    document.getElementById('why-close').addEventListener('click', close);
    why.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        close();
      }
    });
  }

  // On phones, tabs show one column at a time.
  document.querySelectorAll('[data-tabs]').forEach((tabs) => {
    const columns = [...document.getElementById(tabs.dataset.tabs).children];
    const show = (tab) => {
      tabs.querySelectorAll('a').forEach((each) => each.removeAttribute('aria-current'));
      tab.setAttribute('aria-current', 'true');
      columns.forEach((column) => column.classList.toggle('is-shown', `#${column.id}` === tab.hash));
    };
    tabs.addEventListener('click', (event) => {
      const tab = event.target.closest('a');
      if (tab) {
        event.preventDefault();
        show(tab);
      }
    });
    // A link to a part of another column shows that column, with the part open.
    const follow = () => {
      const part = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
      const column = part && columns.find((each) => each !== part && each.contains(part));
      if (column) {
        show(tabs.querySelector(`[href="#${column.id}"]`));
        if (part.matches('details')) {
          part.open = true;
        }
        part.scrollIntoView();
      }
    };
    addEventListener('hashchange', follow);
    follow();
  });

  // On a narrow screen, the current tab may be out of view.
  const current = document.querySelector('.tabs-scroll [aria-current]');
  if (current) {
    const tabs = current.closest('.tabs-scroll');
    tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
  }

  // Scrolls to a new message. The view is a reversed column: 0 is its end, where it also starts.
  const log = document.getElementById('log');
  if (log) {
    document.body.addEventListener('htmx:oobAfterSwap', (event) => {
      if (event.detail.target === log) {
        log.closest('.conv-body, .phone-screen').scrollTop = 0;
      }
    });
  }

  // Enter sends a text, Shift and Enter begin a new line.
  const form = document.getElementById('phone-form');
  if (form) {
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    // The field is free for the next text at once; one that was not taken comes back.
    const text = form.elements.text;
    let sent = '';
    form.addEventListener('htmx:beforeSend', () => {
      sent = text.value;
      text.value = '';
    });
    const comeBack = () => {
      if (text.value === '') {
        text.value = sent;
      }
    };
    form.addEventListener('refused', comeBack);
    form.addEventListener('htmx:afterRequest', (event) => {
      if (!event.detail.successful) {
        comeBack();
      }
      text.focus();
    });
  }
})();
