// Draws a chart from each table. Without this script, the tables show the same numbers.
(() => {
  'use strict';

  const COLOURS = 8;
  const number = (cell) => {
    const read = Number.parseFloat(cell.textContent);
    return Number.isNaN(read) ? null : read;
  };

  // data-columns lists the positions of the columns to draw; empty means all but the first.
  const read = (figure) => {
    const rows = [...figure.querySelectorAll('tbody tr')];
    const heads = [...figure.querySelectorAll('thead th')].map((head) => head.textContent.trim());
    const chosen = figure.dataset.columns;
    const columns = chosen ? chosen.split(',').map(Number) : heads.map((_, place) => place).slice(1);
    return {
      labels: rows.map((row) => row.cells[0].textContent.trim()),
      series: columns.map((place) => ({
        label: heads[place],
        data: rows.map((row) => number(row.cells[place])),
      })),
    };
  };

  const draw = (figure) => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--text').trim();
    const line = style.getPropertyValue('--chart-grid').trim();
    const {labels, series} = read(figure);
    const stacked = figure.dataset.chart === 'stacked';
    return new Chart(figure.querySelector('canvas'), {
      type: figure.dataset.chart === 'line' ? 'line' : 'bar',
      data: {
        labels,
        datasets: series.map((one, place) => {
          const colour = style.getPropertyValue(`--series-${(place % COLOURS) + 1}`).trim();
          return {
            ...one,
            backgroundColor: colour,
            borderColor: colour,
            borderWidth: figure.dataset.chart === 'line' ? 2 : 0,
            borderDash: place % 2 ? [6, 3] : [],
            pointRadius: labels.length > 60 ? 0 : 2,
            spanGaps: true,
          };
        }),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: {mode: 'index', intersect: false},
        plugins: {legend: {display: series.length > 1, labels: {color: ink, boxWidth: 16}}},
        scales: {
          x: {stacked, ticks: {color: ink, maxRotation: 0, autoSkipPadding: 16}, grid: {display: false}},
          y: {stacked, beginAtZero: true, ticks: {color: ink, precision: 0}, grid: {color: line}},
        },
      },
    });
  };

  const figures = [...document.querySelectorAll('figure[data-chart]')];
  let charts = figures.map(draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    charts.forEach((chart) => chart.destroy());
    charts = figures.map(draw);
  });
})();
