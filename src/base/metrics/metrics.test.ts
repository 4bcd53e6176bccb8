import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Metrics } from './metrics.ts';

describe('metrics', () => {
  it('are written with help, type and labels', async () => {
    const metrics = new Metrics();
    const requests = metrics.counter({ name: 'requests_total', help: 'Requests so far.', labels: ['verb', 'code'] });
    requests.with({ verb: 'GET', code: '200' }).add();
    requests.with({ verb: 'GET', code: '200' }).add(2);
    requests.with({ verb: 'PUT' }).add();
    const lines = [
      '# HELP requests_total Requests so far.',
      '# TYPE requests_total counter',
      'requests_total{verb="GET",code="200"} 3',
      'requests_total{verb="PUT",code=""} 1',
      '',
    ];
    assert.equal(await metrics.text(), lines.join('\n'));
  });

  it('escape what would break the text', async () => {
    const metrics = new Metrics();
    metrics
      .gauge({ name: 'odd', help: 'two\nlines \\ here', labels: ['l'] })
      .with({ l: 'a"b\\c\nd' })
      .set(-1.5);
    const text = await metrics.text();
    assert.match(text, /^# HELP odd two\\nlines \\\\ here$/m);
    assert.match(text, /^odd\{l="a\\"b\\\\c\\nd"\} -1\.5$/m);
  });

  it('count in histograms how many values lie below each bound', async () => {
    const metrics = new Metrics();
    const histogram = metrics.histogram({ name: 'took_seconds', help: 'Time.', labels: ['verb'] }, [0.1, 1]);
    const took = histogram.with({ verb: 'GET' });
    for (const value of [0.05, 0.1, 0.5, 7]) took.observe(value);
    assert.deepEqual((await metrics.text()).split('\n').slice(2, -1), [
      'took_seconds_bucket{verb="GET",le="0.1"} 2',
      'took_seconds_bucket{verb="GET",le="1"} 3',
      'took_seconds_bucket{verb="GET",le="+Inf"} 4',
      'took_seconds_sum{verb="GET"} 7.65',
      'took_seconds_count{verb="GET"} 4',
    ]);
  });

  it('work out values when they are read, and leave out what cannot be', async () => {
    const metrics = new Metrics();
    let value = 1;
    metrics.computed({ name: 'size', help: 'Size.' }, 'gauge', () => [{ value }, { labels: { of: 'x' }, value: NaN }]);
    metrics.computed({ name: 'broken', help: 'Broken.' }, 'gauge', () => Promise.reject(new Error('no')));
    value = 2;
    assert.equal(await metrics.text(), '# HELP size Size.\n# TYPE size gauge\nsize 2\nsize{of="x"} NaN\n');
  });

  it('have one meaning for a name', () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'same', help: 'One.' });
    assert.throws(() => metrics.gauge({ name: 'same', help: 'Another.' }), /same/);
  });

  it('give the same metric for the same labels', () => {
    const family = new Metrics().counter({ name: 'c', help: 'C.', labels: ['a', 'b'] });
    assert.equal(family.with({ b: '2', a: '1' }), family.with({ a: '1', b: '2' }));
    assert.notEqual(family.with({ a: '1' }), family.with({ b: '1' }));
  });
});
