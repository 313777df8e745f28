import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cameraOf, coordinatesOf, exposureOf, linesOf, mapOf, trailOf } from '../../Public/viewer/facts.js';
import { dateIn } from '../../Public/catalog/naming.js';

test("the camera's maker is named once", () => {
  for (const [make, model, text] of [
    ['Canon', 'Canon EOS 40D', 'Canon EOS 40D'],
    ['NIKON CORPORATION', 'NIKON D90', 'NIKON D90'],
    ['SONY', 'ILCE-7M3', 'SONY ILCE-7M3'],
    ['HP', 'HPX 100', 'HP HPX 100'],
    ['Apple', undefined, 'Apple'],
    [undefined, 'Pixel 8', 'Pixel 8'],
    [undefined, undefined, ''],
  ]) {
    assert.equal(cameraOf({ make, model }), text);
  }
});

test('exposures are formatted the way photographers write them', () => {
  const exposure = { exposureTime: 0.00625, aperture: 7.1, sensitivity: 100, focalLength: 5.859375 };
  assert.equal(exposureOf(exposure), '1/160 s · f/7.1 · ISO 100 · 5.9 mm');
  assert.equal(exposureOf({ exposureTime: 2.4999999, aperture: 2.7999999999999998, focalLength: 134.6 }), '2.5 s · f/2.8 · 135 mm');
  assert.equal(exposureOf({ exposureTime: 1, focalLength: 50 }), '1 s · 50 mm');
  assert.equal(exposureOf({}), '');
});

test('a date is displayed as far as it is known', () => {
  const takenAt = '2018-01-01T00:00:00+09:00';
  assert.equal(dateIn({ takenAt }), 'January 1, 2018 at 12:00 AM');
  assert.equal(dateIn({ takenAt, takenPrecision: 'day' }), 'January 1, 2018');
  assert.equal(dateIn({ takenAt, takenPrecision: 'month' }), 'January 2018');
  assert.equal(dateIn({ takenAt, takenPrecision: 'year' }), '2018');
});

test('a date that only the name tells is marked', () => {
  const image = { takenAt: '2018-08-21T00:00:00Z', takenPrecision: 'day' };
  assert.deepEqual(linesOf(image)[0], ['Taken', 'August 21, 2018']);
  assert.deepEqual(linesOf({ ...image, takenFrom: 'name' })[0], ['Taken', 'August 21, 2018 (from the file name)']);
});

test('unknown metadata is left out', () => {
  assert.deepEqual(linesOf({ name: 'a.jpg' }), [['Name', 'a.jpg']]);
});

test('a location is displayed in degrees, with a link to a map', () => {
  const place = { latitude: -33.8567844, longitude: 151.213108 };
  assert.equal(coordinatesOf(place), '33.8568° S, 151.2131° E');
  assert.equal(mapOf(place), 'https://www.openstreetmap.org/?mlat=-33.85678&mlon=151.21311#map=15/-33.85678/151.21311');
});

test('the trail lists the folders down to that of the image', () => {
  assert.deepEqual(trailOf('2019/Paris'), [{ name: '2019', path: '2019' }, { name: 'Paris', path: '2019/Paris' }]);
});
