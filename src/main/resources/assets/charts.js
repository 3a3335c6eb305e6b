// Draws a chart from each table. Without this script, the tables show the same numbers.
(() => {
  'use strict';

  const number = (cell) => (cell && cell.dataset.value !== undefined ? Number(cell.dataset.value) : null);

  // Each entry of the legend is a series: its column, and its style, such as l1 (a line) or f2 (bars).
  const read = (figure) => {
    const rows = [...figure.querySelectorAll('tbody tr')];
    return {
      head: figure.querySelector('thead th').textContent.trim(),
      labels: rows.map((row) => row.cells[0].textContent.trim()),
      series: [...figure.querySelectorAll('.legend li')].map((entry) => ({
        label: entry.textContent.trim(),
        style: entry.dataset.style,
        of: entry.dataset.of === undefined ? null : rows.map((row) => row.cells[Number(entry.dataset.of)].textContent.trim()),
        data: rows.map((row) => number(row.cells[Number(entry.dataset.column)])),
      })),
    };
  };

  const token = (name, other) => {
    const style = getComputedStyle(document.documentElement);
    return style.getPropertyValue(name).trim() || style.getPropertyValue(other).trim();
  };

  const draw = (figure) => {
    const ink = token('--muted', '--text');
    const {head, labels, series} = read(figure);
    const shape = figure.dataset.chart;
    const unit = figure.dataset.unit;
    const stacked = shape === 'stacked';
    const share = unit === '%';
    const shortened = labels.map((label) => label.replace(/ \d{4}$/, ''));
    // Below the days of a survival curve stand the denominators, one row for each different one.
    const counted = shape === 'steps' ? [...new Map(series.filter(({of}) => of).map(({of}) => [of.join(), of])).values()] : [];
    const below = shortened.map((label, place) => (counted.length ? [label, ...counted.map((of) => of[place])] : label));
    const alone = (data) => data.map((value, place) => (value !== null && (data[place - 1] ?? null) === null && (data[place + 1] ?? null) === null ? 3 : 0));
    const font = {size: 11, family: getComputedStyle(document.body).fontFamily};
    const told = (value) => `${value.toLocaleString('en', {maximumFractionDigits: share ? 0 : 2})}${share ? '%' : ''}`;
    const one = (noun) => (noun.endsWith('s') ? noun.slice(0, -1) : noun);
    const counts = (value) => `${told(value)}${share ? '' : ` ${value === 1 ? one(unit) : unit}`}`;
    const countable = ['participants', 'answers', 'messages', 'tokens'].includes(unit);
    return new Chart(figure.querySelector('canvas'), {
      type: 'bar',
      data: {
        labels: below,
        datasets: series.map(({label, style, data}, index) => {
          const line = style.startsWith('l');
          const reference = style === 'lt';
          const place = style.slice(1);
          const colour = token(reference ? '--series-target' : `--series-${place}`, '--series-1');
          const dash = reference ? [2, 4] : [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [1, 3]][Number(place) - 1];
          return {
            type: line ? 'line' : 'bar',
            label,
            data,
            // The lowest is drawn last: a dashed line lies on a solid one, and a target on everything.
            order: reference ? 0 : line ? series.length - index : series.length + 1,
            stack: stacked ? (line ? 'line' : 'bars') : undefined,
            backgroundColor: colour,
            borderColor: colour,
            borderWidth: line ? 2 : 0,
            borderDash: line ? dash : [],
            borderRadius: line ? 0 : 2,
            stepped: shape === 'steps' && !reference ? 'before' : false,
            pointRadius: line ? alone(data) : 0,
            pointHitRadius: 8,
            clip: 4,
            spanGaps: false,
            maxBarThickness: 48,
          };
        }),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: {mode: 'index', intersect: false},
        plugins: {
          legend: {display: false},
          tooltip: {callbacks: {title: (items) => labels[items[0].dataIndex], label: (item) => `${item.dataset.label}: ${counts(item.parsed.y)}`}},
        },
        scales: {
          x: {
            stacked,
            offset: !['line', 'steps'].includes(shape) || labels.length === 1,
            // A few bars are lengths, each of which needs its label; dates may be skipped.
            ticks: shape === 'bar' && head !== 'Date' ? {color: ink, font, maxRotation: 60, autoSkip: false} : {color: ink, font, maxRotation: 0, autoSkipPadding: 24},
            title: {display: head !== 'Date', text: counted.length ? `${head}; below it, n` : head, color: ink, font},
            border: {color: token('--line-strong', '--line')},
            grid: {display: false},
          },
          y: {
            stacked,
            beginAtZero: true,
            max: share ? 100 : undefined,
            suggestedMax: Number(figure.dataset.reaches) || undefined,
            // Counts have no fractional ticks.
            ticks: {color: ink, font, maxTicksLimit: 6, callback: told, precision: countable ? 0 : undefined},
            title: {display: !share, text: unit.charAt(0).toUpperCase() + unit.slice(1), color: ink, font},
            border: {display: false},
            grid: {color: token('--chart-grid', '--line')},
          },
        },
      },
    });
  };

  // A chart in a closed part of the page has no size, so it is drawn when the part is opened.
  const figures = [...document.querySelectorAll('figure[data-chart]')].filter((figure) => figure.querySelector('canvas'));
  const drawn = new Map();
  const shown = (figure) => figure.querySelector('.canvas').clientWidth > 0;
  const drawShown = () => figures.filter((figure) => !drawn.has(figure) && shown(figure)).forEach((figure) => drawn.set(figure, draw(figure)));
  drawShown();
  document.querySelectorAll('details').forEach((part) => part.addEventListener('toggle', drawShown));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    drawn.forEach((chart) => chart.destroy());
    drawn.clear();
    drawShown();
  });
})();
