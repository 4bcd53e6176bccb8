import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { HtmlLinks } from './html-links.ts';
import { rewriteLink } from './link-rewriting.ts';
import { changeBody } from './proxied-body.ts';

const rewriting = { prefix: '/p', authority: '10.0.0.1:80', scheme: 'http' } as const;
const rewrite = (link: string): string => rewriteLink(link, rewriting);

async function rewritten(html: string, chunkLength = html.length): Promise<string> {
  const bytes = Buffer.from(html);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkLength) chunks.push(bytes.subarray(at, at + chunkLength));
  const out: Buffer[] = [];
  for await (const chunk of Readable.from(chunks).pipe(new HtmlLinks(rewrite))) out.push(chunk as Buffer);
  return Buffer.concat(out).toString();
}

for (const [link, wanted] of [
  ['/a', '/p/a'],
  ['/', '/p/'],
  ['/a?b=/c#d', '/p/a?b=/c#d'],
  ['/p/a', '/p/a'],
  ['/p', '/p'],
  ['/pa', '/p/pa'],
  ['http://10.0.0.1/a', '/p/a'],
  ['http://10.0.0.1:80', '/p/'],
  ['//10.0.0.1/a', '/p/a'],
  ['HTTP://10.0.0.1:80?q', '/p/?q'],
  ['http://10.0.0.1:81/a', 'http://10.0.0.1:81/a'],
  ['https://10.0.0.1/a', 'https://10.0.0.1/a'],
  ['//other/a', '//other/a'],
  ['http://10.0.0.1.evil/a', 'http://10.0.0.1.evil/a'],
  ['a/b', 'a/b'],
  ['?q', '?q'],
  ['#f', '#f'],
  ['', ''],
  ['mailto:a@b', 'mailto:a@b'],
  ['javascript:x()', 'javascript:x()'],
] as const) {
  test(`the link "${link}" becomes "${wanted}"`, () => assert.equal(rewrite(link), wanted));
}

const page = `<!DOCTYPE html><HTML manifest=/m><head><base href='/b/'><link rel=x href=/l.css>
<title><a href="/t"></title><script src="/s.js" async>if (a<b) document.write("<a href='/no'>")</script>
<style>a { background: url("<a href='/no'>") }</style><!-- <a href="/no"> --> <!doc <a href=/yes>
</head><body background = "/ü.png" class="<a href='/no'>"><a
  title="a > b" HREF=" /one?x=1&amp;y=2 ">eins</a><a href="two">2</a><a href>3</a><a href=>4</a>
<img alt='/no' src="http://10.0.0.1/i.png"/><img src=/j.png/><form action="" ><p href="/no"> 1 < 2 <3 </p>
<constructor href="/no"><a href="/last" <</body></HTML>`;

const wanted = page
  .replace('manifest=/m', 'manifest=/p/m')
  .replace(`base href='/b/'`, `base href='/p/b/'`)
  .replace('href=/l.css', 'href=/p/l.css')
  .replace('src="/s.js"', 'src="/p/s.js"')
  .replace('href=/yes', 'href=/p/yes')
  .replace('"/ü.png"', '"/p/ü.png"')
  .replace('" /one?x=1&amp;y=2 "', '"/p/one?x=1&amp;y=2"')
  .replace('"http://10.0.0.1/i.png"', '"/p/i.png"')
  .replace('src=/j.png/', 'src=/p/j.png/')
  .replace('href="/last"', 'href="/p/last"');

test('the links of a page are changed where they stand, and nothing else is', async () => {
  assert.equal(await rewritten(page), wanted);
});

test('it makes no difference where a page is cut on its way', async () => {
  for (const length of [1, 2, 3, 5, 7, 64]) assert.equal(await rewritten(page, length), wanted, String(length));
});

test('pages that never end a tag pass as they are, without being kept', async () => {
  for (const text of ['<a href="/x', '<a href=', '<', '<!-', '<!-- <a href="/x">', '<script>"</scrip', 'x <a']) {
    assert.equal(await rewritten(text, 3), text);
  }
  const endless = `<a title="${'x'.repeat(300_000)}`;
  assert.equal(await rewritten(endless, 10_000), endless);
});

test('a page that begins tags and ends none takes no longer than another', { timeout: 10_000 }, async () => {
  for (const text of ['<a '.repeat(200_000), '<a x='.repeat(200_000), '<script></script>'.repeat(200_000)]) {
    assert.equal(await rewritten(text, 64 * 1024), text);
  }
});

test('what is put before a link cannot end the attribute', async () => {
  const links = new HtmlLinks((link) => rewriteLink(link, { ...rewriting, prefix: `/p"'> <` }));
  links.end('<a href=/x>');
  let text = '';
  for await (const chunk of links) text += String(chunk);
  assert.equal(text, '<a href=/p&#34;&#39;&#62;&#32;&#60;/x>');
});

async function throughStages(headers: Record<string, string>, body: Buffer, statusCode = 200) {
  const message = { headers, statusCode } as unknown as Parameters<typeof changeBody>[0];
  const changes = changeBody(message, headers, rewrite);
  let stream: Readable = Readable.from([body]);
  for (const stage of changes.stages) stream = stream.pipe(stage);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { body: Buffer.concat(chunks), headers: changes.headers };
}

test('packed pages are unpacked for it, and say no length any more', async () => {
  const headers = { 'content-type': 'Text/HTML', 'content-encoding': 'gzip', 'content-length': '9', etag: 'x' };
  const changed = await throughStages(headers, gzipSync('<a href="/x">'));
  assert.equal(changed.body.toString(), '<a href="/p/x">');
  assert.deepEqual(changed.headers, { 'content-type': 'Text/HTML', etag: 'x' });
});

test('what is no page, a part of one, or packed in an unknown way, passes as it is', async () => {
  const body = Buffer.from('<a href="/x">');
  for (const [headers, code] of [
    [{ 'content-type': 'text/plain' }, 200],
    [{}, 200],
    [{ 'content-type': 'text/html' }, 206],
    [{ 'content-type': 'text/html', 'content-encoding': 'zstd', 'content-length': '13' }, 200],
  ] as [Record<string, string>, number][]) {
    assert.deepEqual(await throughStages(headers, body, code), { body, headers });
  }
});
