import test from 'ava';
import { kafkaProperties } from '../../../stack/servers/kafka.ts';

test('the broker listens on this machine only, and makes no topics by itself', (t) => {
  const lines = kafkaProperties(9092, 9093).split('\n');
  t.true(lines.includes('listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093'));
  t.true(lines.includes('auto.create.topics.enable=false'));
});

test('no path is in it: the folder may hold any character', (t) => {
  t.notRegex(kafkaProperties(9092, 9093), /=.*[^:/]\/[^/]/);
});
