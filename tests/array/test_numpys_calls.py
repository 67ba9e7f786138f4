"""NumPy's own calls: relaxed mode answers each as NumPy does, strict mode refuses what is not the
standard's.

Each line of the tables is an expression, computed with NumPy for ``np`` and NumPy's arrays, and
with the namespace and its arrays.  What NumPy has and no line names, is left out by name, with the
reason.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from parametrize import listing
from processes import python

import ascend_array_api as xp
from ascend_array_api._torch import dtypes as dt
from conformance.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES = {
    "v": np.asarray([0.5, -1.5, 2.0, 3.25, -0.75]),
    "w": np.asarray([1.0, 2.0, -0.5, 0.25, 4.0]),
    "u": np.asarray([0.125, 0.5, 0.25, 0.75, 0.625]),
    "n": np.asarray([1.0, np.nan, -2.0, np.inf, np.nan]),
    "m": np.asarray([[4.0, 1.0, 2.5, -1.0], [0.5, 3.0, 2.0, 7.0], [9.0, -8.0, 6.0, 5.0]]),
    "s": np.asarray([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "i": np.asarray([3, 1, 2, 1, 0]),
    "k": np.asarray([[5, 0, 3], [1, 4, 2]]),
    "b": np.asarray([True, False, True, True, False]),
    "z": np.asarray([1 + 2j, -0.5j, 3.0 - 1j]),
    "x": np.asarray([-1.0, 0.0, 0.5, 1.75, 4.0]),
    "f": np.asarray([0.5, 1.5], dtype=np.float32),
}
"""The arrays that the expressions name."""

STRICT = """
    np.abs(v) np.acos(u) np.acosh(u+1) np.add(v,w) np.all(b) np.any(b) np.arange(5)
    np.arange(0,1,0.25) np.argmax(v) np.argmin(v) np.argsort(v) np.asarray([1,2]) np.asin(u)
    np.asinh(v) np.astype(v,np.float32) np.atan(v) np.atan2(v,w) np.atanh(u) np.bincount(i)
    np.bitwise_and(i,i) np.bitwise_invert(i) np.bitwise_left_shift(i,i) np.bitwise_or(i,i)
    np.bitwise_right_shift(i,i) np.bitwise_xor(i,i) np.broadcast_arrays(v,m[:,:1])
    np.broadcast_shapes((2,1),(3,)) np.broadcast_to(v,(2,5)) np.can_cast(np.int8,np.int16)
    np.ceil(v) np.clip(v,0.0,1.0) np.concat([v,w]) np.conj(z) np.convolve(v,w) np.copysign(v,w)
    np.cos(v) np.cosh(v) np.count_nonzero(b) np.cumulative_prod(v) np.cumulative_sum(v) np.diag(v)
    np.diff(v) np.divide(v,w) np.empty(3).shape np.empty_like(v).shape np.equal(v,w) np.exp(v)
    np.expand_dims(v,0) np.expm1(v) np.eye(3) np.finfo(v.dtype).bits np.flip(v) np.floor(v)
    np.floor_divide(v,w) np.from_dlpack(v) np.full(3,2.0) np.full_like(v,2.0) np.greater(v,w)
    np.greater_equal(v,w) np.hypot(v,w) np.iinfo(np.int8).max np.imag(z)
    np.isdtype(v.dtype,'integral') np.isfinite(n) np.isin(i,i[:2]) np.isinf(n) np.isnan(n)
    np.less(v,w) np.less_equal(v,w) np.linspace(0.0,1.0,5) np.log(u) np.log10(u) np.log1p(u)
    np.log2(u) np.logaddexp(v,w) np.logical_and(b,b) np.logical_not(b) np.logical_or(b,b)
    np.logical_xor(b,b) np.logspace(0.0,2.0,3) np.matmul(s,s) np.matrix_transpose(m) np.max(v)
    np.maximum(v,w) np.mean(v) np.median(v) np.meshgrid(v,w) np.min(v) np.minimum(v,w)
    np.moveaxis(t,0,-1) np.multiply(v,w) np.negative(v) np.nextafter(v,w) np.nonzero(b)
    np.not_equal(v,w) np.ones(3) np.ones_like(v) np.permute_dims(t,(2,0,1)) np.positive(v)
    np.pow(u,w) np.prod(v) np.real(z) np.reciprocal(w) np.remainder(v,w) np.repeat(v,2)
    np.reshape(v,(5,1)) np.result_type(v,w) np.roll(v,1) np.roots(w) np.round(v)
    np.searchsorted(x,v) np.sign(v) np.signbit(v) np.sin(v) np.sinh(v) np.sort(v) np.sqrt(u)
    np.square(v) np.squeeze(np.expand_dims(v,0),0) np.stack([v,w]) np.std(v) np.subtract(v,w)
    np.sum(v) np.take(v,i) np.take_along_axis(v,i) np.tan(v) np.tanh(v) np.tensordot(s,s)
    np.tile(v,(2,)) np.tril(s) np.triu(s) np.trunc(v) np.unique_all(i) np.unique_counts(i)
    np.unique_inverse(i) np.sort(np.unique_values(i)) np.unstack(k) np.var(v) np.vecdot(v,w)
    np.where(b,v,w) np.zeros(3) np.zeros_like(v) np.linalg.cholesky(s)
    np.linalg.cross(s,s[:,::-1]) np.linalg.det(s) np.linalg.diagonal(m)
    np.linalg.eigh(s).eigenvalues np.linalg.eigvalsh(s) np.linalg.inv(s) np.linalg.matmul(s,s)
    np.linalg.matrix_norm(m) np.linalg.matrix_power(s,2) np.linalg.matrix_rank(m)
    np.linalg.matrix_transpose(m) np.linalg.outer(v,w) np.linalg.pinv(m) np.abs(np.linalg.qr(m).R)
    np.linalg.slogdet(s) np.linalg.solve(s,s) np.linalg.svd(m).S np.linalg.svdvals(m)
    np.linalg.tensordot(s,s) np.linalg.trace(s) np.linalg.vecdot(v,w) np.linalg.vector_norm(v)
    np.linalg.lstsq(s,s[:,0])[0] np.sort(np.real(np.linalg.eigvals(s)))
    np.sort(np.real(np.linalg.eig(s)[0])) np.fft.fft(z) np.fft.ifft(z) np.fft.fftn(z)
    np.fft.ifftn(z) np.fft.rfft(v) np.fft.irfft(z) np.fft.rfftn(m) np.fft.irfftn(z) np.fft.hfft(z)
    np.fft.ihfft(v) np.fft.fftfreq(5) np.fft.rfftfreq(5) np.fft.fftshift(v) np.fft.ifftshift(v)
    m.T t.mT v.dtype v.ndim v.shape v.size v.device v.__array_namespace__().__name__!=''
    v.to_device('cpu')
"""
"""The calls that strict mode takes too; what they name is the standard's, or an extra's."""

RELAXED = """
    np.nanmedian(n) np.nanmedian(n[:4]) np.nanmedian(m,0) np.nanmedian(t,(0,2),keepdims=True)
    np.nanquantile(n,0.25) np.nanquantile(m,[0.1,0.75],1) np.nanpercentile(n,[0,50,100])
    np.nanpercentile(t,30,(0,1),keepdims=True) np.full((2,5),v) np.full_like(m,[1,2,3,4])
    np.size(t,(0,2)) np.degrees(v,np.zeros(5)) np.isposinf(n,np.zeros(5,bool))
    np.linalg.qr(m,mode='r').shape np.linalg.cross(s,s,axis=0)
    np.interp(v,[5.,1.,3.],u[:3],period=4.0) np.interp(n,[5.,1.],u[:2],period=-3)
    np.einsum(s,[0,1],s,[1,2]) np.einsum(s,[0,1],s,[1,2],[2,0]) np.einsum(t,[...,1],[...])
    np.einsum(s,(1,0)) np.diff(v,n=9) np.add.reduce(m) np.add.accumulate(m,1) np.multiply.outer(v,w)
    np.sum(m,0) np.sum(m,1,np.float32) np.sum(m,axis=0,dtype=None,out=None) np.sum(m,(0,1))
    np.sum([1,2]) np.sum(v,initial=2.0) np.sum(v,where=b) np.sum(m,keepdims=True)
    np.sum(m,-1,keepdims=True) np.sum(b) np.sum(a=v) np.prod(m,1) np.prod(v,where=b,initial=2.0)
    np.mean(m,0) np.mean(i) np.mean(v,where=b) np.mean(m,1,np.float32) np.std(m,0)
    np.std(v,ddof=1) np.std(m,1,None,None,1) np.std(v,where=b) np.var(v,ddof=1)
    np.var(m,0,None,None,1,True) np.var(m,axis=1,where=m>0) np.max(m,0) np.max(v,initial=9.0)
    np.max(m,1,None,True) np.max(m,axis=1,initial=0.0,where=m<5) np.min(m,1)
    np.min(v,initial=-9.0) np.all(m>0,0) np.any(m>8,1) np.all(b,where=b) np.any(m>8,where=m<0)
    np.argmax(m,1) np.argmin(m,0) np.count_nonzero(k,0) np.median(m,0)
    np.median(m,1,None,False,True) np.sort(m,0) np.sort(m,None) np.sort(v,kind='stable')
    np.argsort(m,0) np.argsort(m,axis=None) np.argsort(i,kind='stable') np.sort([3,1,2])
    np.flip(m,0) np.flip(m,(0,1)) np.stack([v,w],1) np.stack((v,w),-1) np.concat([m,m],1)
    np.concat([v,w],dtype=np.float32,casting='same_kind') np.concat((m,m),None)
    np.tensordot(s,s,1) np.tensordot(t,s,([1],[0])) np.squeeze(t[:1]) np.squeeze(v[None,:,None])
    np.squeeze(t[:1],0) np.round(v,1) np.round(m,-1) np.round(v*3.14159,2) np.round(i,1)
    np.round(v,decimals=0) np.where(v>0) np.where(m>2) np.where(v>0,v,0) np.where(b,1,0)
    np.where(i,v,w)
    np.expand_dims(a=v,axis=1) np.roll(m,1,0) np.roll(m,(1,1),(0,1)) np.repeat(m,2,0)
    np.repeat(m,2) np.take(m,1,0) np.take(m,[0,2],1) np.take(m,[[0,1],[2,3]])
    np.take(v,i[:2],None,None,'clip') np.take(v,[7,-9],mode='wrap')
    np.take_along_axis(m,np.argsort(m,0),0) np.take_along_axis(m,i[:3],None) np.tile(v,2)
    np.tile(m,[2,1]) np.tril(s,1) np.triu(s,-1) np.diff(v,2) np.diff(m,1,0) np.diff(v,prepend=0.0)
    np.permute_dims(t) np.permute_dims(t,[1,0,2]) np.reshape(m,-1) np.reshape(m,(2,6),'C')
    np.reshape(m,(2,6),order='F') np.reshape(m,[4,3]) np.broadcast_to(v,5)
    np.moveaxis(t,[0,1],[1,2]) np.clip(v,0,1) np.clip(v,a_min=0,a_max=1) np.clip(v,None,1)
    np.clip(i,1,2) np.clip(i,0.5,None) np.clip(i,np.asarray(0.5),2)
    np.clip(v,0.0,1.0,dtype=np.float32) np.isin([1,5],i) np.isin(i,[1],False,True)
    np.searchsorted(x,v,'right') np.searchsorted(x,0.25) np.searchsorted(x,[0.1,2.0])
    np.unstack(k,axis=1) np.cumulative_sum(k,axis=1) np.meshgrid(v,w,indexing='ij')
    np.meshgrid(v,w,sparse=True) np.meshgrid(v,sparse=True) np.meshgrid(v,w[:2],u[:3],sparse=True)
    np.meshgrid(v,w[:2],u[:3],sparse=True,indexing='ij') np.meshgrid(v,sparse=True,indexing='ij')
    np.meshgrid([1,2],[3,4,5]) np.nonzero(a=i) np.zeros_like(v,int,shape=(2,3))
    np.full_like(i,2.5,float,shape=4) np.sum(v,where=False) np.prod(v,where=False,initial=3.0)
    np.max(m,0,initial=2.0,where=False) np.round([1.25,-2.5]) np.round(i*7,-1) np.round(-k*7,-1)
    np.round(a=v*2.5) np.round(i+np.asarray(2**60),1) np.take(v,[7,-9,4],mode='clip')
    np.take(m,[[7,-9],[1,2]],0,mode='clip')
    np.linalg.matrix_rank(m,11.0) np.linalg.matrix_rank(t,np.asarray([1.0,50.0]))
    np.linalg.matrix_rank(s)
    np.can_cast(np.int64,np.int8,'unsafe') np.vecdot(z,z) np.matmul(k,s) np.asarray([1,2],float)
    np.asarray(i,np.float32) np.asarray([1.5,2],'float') np.asarray([1,2],dtype='complex')
    np.asarray([1,2],dtype='i4') np.asarray(v,order='C') np.zeros(3,int) np.zeros((2,3),'float')
    np.zeros(3,'int') np.zeros((2,),np.float32,'C') np.ones(3,bool) np.ones((2,2),dtype='uint8')
    np.full(3,7,float) np.full((2,),1.5,np.float32) np.empty(3,float).dtype np.zeros_like([1,2])
    np.ones_like(v,int) np.full_like(v,2,int) np.zeros_like(v,shape=(2,2)) np.ones_like([[1.0]])
    np.empty_like([1,2]).shape np.eye(3,4,1) np.eye(3,dtype=int) np.eye(2,k=-1) np.eye(N=2)
    np.linspace(0,1) np.linspace(0,1,5,False) np.linspace(0,1,num=4,retstep=True)
    np.linspace(0,1,4,False,True) np.linspace(0,3,1,True,True) np.linspace(0,3,1,False,True)
    np.linspace(2,5,retstep=True)
    np.logspace(0,2,3,True,2.0) np.arange(3,dtype=float) np.arange(0,3,1,float) np.diag(m,1)
    np.add(v,w,where=True) np.add(i,1.5) np.add([1,2],[3,4]) np.add(1,2) np.sqrt(i) np.sqrt([4,9])
    np.exp(i) np.exp(v,dtype=np.float64) np.add(i,i,dtype=float) np.abs(*[v]) np.divide(i,i+1)
    np.abs(-3) np.maximum(v,0) np.minimum(i,[1,1,1,1,1]) np.multiply(b,b) np.logical_and(i,v)
    np.logical_not(v) np.isnan(i) np.pow(i,2) np.pow(v,2) np.floor(i) np.sign(i) np.conj(v)
    np.real(v) np.imag(v) np.imag(i) np.real(z) np.add(v,w,np.zeros(5))
    np.add(v,w,out=np.zeros(5)) np.multiply(v,w,out=np.ones(5),where=b) np.exp(v,np.zeros(5))
    np.sum(m,0,None,np.zeros(4)) np.cumsum(v,out=np.zeros(5)) np.matmul(s,s,np.zeros((3,3)))
    np.fft.fft(v) np.fft.fft(m,axis=0) np.fft.fft(m,8,0) np.fft.fft(i) np.fft.fft(v,norm=None)
    np.fft.ifft(v) np.fft.fftn(m) np.fft.fftn(m,(4,4)) np.fft.ifftn(m,axes=[0]) np.fft.rfft(v,8)
    np.fft.irfft(v) np.fft.irfftn(m+0j,s=(3,4)) np.fft.irfftn(m+0j,(3,6)) np.fft.rfftn(m,(4,4))
    np.fft.fftshift(m,1) np.fft.fftshift(i) np.fft.ifftshift(i) np.fft.fftfreq(5,0.5)
    np.fft.rfft([1,2,3]) np.fft.hfft(v) np.fft.fft2(m) np.fft.ifft2(m) np.fft.rfft2(m)
    np.fft.irfft2(m+0j,(3,6)) np.fft.fft2(m,(4,4)) np.linalg.norm(v) np.linalg.norm(m)
    np.linalg.norm(m,axis=1) np.linalg.norm(m,1) np.linalg.norm(m,'nuc') np.linalg.norm(v,np.inf)
    np.linalg.norm(m,2,keepdims=True) np.linalg.norm(m,axis=0,keepdims=True) np.linalg.norm(i)
    np.linalg.norm(t,axis=(0,1)) np.linalg.cond(s) np.linalg.cond(s,1) np.linalg.cond(s,-2)
    np.linalg.multi_dot([s,s,s]) np.linalg.svd(m,False)[1] np.linalg.svd(m,compute_uv=False)
    np.abs(np.linalg.qr(m,'r')) np.abs(np.linalg.qr(m,'complete')[1]) np.linalg.eigh(s,'U')[0]
    np.linalg.eigvalsh(s,UPLO='U') np.linalg.matrix_rank(m,0.1) np.linalg.pinv(m,1e-10)
    np.linalg.inv([[2,0],[0,4]]) np.linalg.solve(s,[1,2,3])
    np.linalg.lstsq(s,[1,2,3],rcond=None)[0] np.linalg.det([[1,2],[3,4]])
    np.linalg.trace(s,offset=1) np.linalg.vector_norm(m,axis=1) np.linalg.cross([1,0,0],[0,1,0])
    np.absolute(v) np.amax(m,0) np.amin(m,1) np.angle(z) np.angle(z,True) np.angle(v)
    np.append(v,w) np.append(m,m,0) np.append([1],2) np.apply_along_axis(np.cumsum,0,m)
    np.apply_along_axis(np.sum,1,m) np.apply_along_axis(np.cumsum,0,v)
    np.apply_along_axis(np.sum,0,m[:,:1]) np.cov(m,m*m,False) np.cov(m,v[:3],False) np.arccos(u)
    np.arccosh(u+1) np.arcsin(u) np.arcsinh(v)
    np.arctan(v) np.arctan2(v,w) np.arctanh(u) np.argwhere(m>2) np.argwhere(b) np.around(v,1)
    np.array([1,2]) np.array([1,2],float) np.array([[1.5]],ndmin=3) np.array(v,copy=True)
    np.array_equal(v,v) np.array_equal(v,m) np.array_equal(n,n) np.array_equal(n,n,True)
    np.array_equiv(v,v[None]) np.array_equiv(v,w) np.array_split(v,2) np.array_split(v,[1,3])
    np.array_split(m,3,1) np.asanyarray(v) np.ascontiguousarray(m.T) np.asfortranarray(m)
    np.atleast_1d(1.5) np.atleast_2d(v) np.atleast_3d(v) np.atleast_3d(m) np.atleast_3d(2)
    np.atleast_1d(v,2.0) np.average(v) np.average(m,0) np.average(m,0,[1,2,3])
    np.average(v,weights=u) np.average(v,weights=u,returned=True) np.bartlett(6) np.blackman(6)
    np.bitwise_not(i) np.bool_ np.byte np.cbrt(v) np.cbrt(x) np.cdouble np.column_stack([v,w])
    np.column_stack((m,m)) np.compress([True,False,True],m,0) np.compress(b,v)
    np.concatenate([v,w]) np.concatenate((m,m),1) np.concatenate([m,m],axis=None)
    np.concatenate([v,[1,2]]) np.conjugate(z) np.copy(v) np.corrcoef(m) np.corrcoef(v,w)
    np.corrcoef(m,dtype=np.float32) np.cov(m,dtype=np.float32)
    np.correlate(v,w) np.correlate(v,w[:3],'same') np.correlate(v[:2],w,'full')
    np.correlate(z,z,'full') np.cov(m) np.cov(v,w) np.cov(m,rowvar=False) np.cov(m,bias=True)
    np.cov(v) np.cross(s,s[::-1]) np.cross(s,s[::-1],axis=0) np.csingle np.cumprod(k)
    np.cumprod(m,1) np.cumsum(m) np.cumsum(m,0) np.cumsum(b) np.cumsum(i,dtype=float)
    np.deg2rad(v) np.degrees(v) np.delete(v,1) np.delete(m,[0,2],1) np.delete(m,slice(0,1),0)
    np.diag_indices(3) np.diag_indices_from(s) np.diagflat(v) np.diagflat(m,1) np.diagonal(m)
    np.diagonal(t,1,0,2) np.digitize(v,x) np.digitize(v,x,True) np.digitize(v,[3.0,1.0,-1.0])
    np.divmod(v,w) divmod(v,w) divmod(2.0,w) np.dot(v,w) np.dot(s,s) np.dot(s,v[:3]) np.dot(2,v)
    np.dot(m,t[0].T)
    np.dot(t,np.swapaxes(t,1,2)) np.double np.dsplit(t,2) np.dstack([v,w]) np.dstack((m,m))
    np.ediff1d(m) np.ediff1d(v,99.0,[-1.0]) np.einsum('ij,jk->ik',s,s) np.einsum('ii',s)
    np.einsum('ii->i',s) np.einsum('ij->ji',m) np.einsum('ij',s) np.einsum('i,i',v,w)
    np.einsum('i,j->ij',v,w) np.einsum('ij,jk,kl->il',s,s,s) np.einsum('...ij->...ji',t)
    np.einsum('bij,bkj->bik',t,t) np.einsum('ijk->k',t) np.einsum('...j,j->...',m,m[0])
    np.einsum('ij,ij->',m,m) np.einsum('ji,j->i',k,[1,2]) np.einsum('i...->...',t)
    np.einsum('ij,ij,ij->i',s,s+1,s-1) np.einsum('ij,kl,jk->il',s,s+1,s-1)
    np.einsum('i,ij,j',v[:3],s,w[:3])
    np.einsum('ij,ij,ij,ij->j',s,s,s,s) np.einsum('ij,jk',s,s,optimize=True) np.exp2(v) np.exp2(i)
    np.extract(v>0,v) np.fabs(v)
    np.fix(v) np.flatnonzero(k) np.fliplr(m) np.flipud(m) np.float_power(i,2) np.fmax(n,v)
    np.fmin(v,n) np.fmax(i,1) np.fmod(v,w) np.fmod(-i,3+i) np.fromfunction(lambda_ij,(3,2))
    np.geomspace(1.0,8.0,4) np.gradient(v) np.gradient(v,0.5) np.gradient(v,x) np.gradient(m)
    np.gradient(m,axis=1) np.gradient(m,2.0,3.0) np.half np.hamming(5) np.hanning(5)
    np.heaviside(v,0.5) np.heaviside([0.0,1.0],0.5) np.histogram(v) np.histogram(v,3)
    np.histogram(v,[-2.0,0.0,4.0]) np.histogram(v,4,(0.0,2.0)) np.histogram(v,3,density=True)
    np.histogram(v,3,weights=u) np.histogram(i,4) np.histogram_bin_edges(v,4) np.hsplit(m,2)
    np.hsplit(v,[2]) np.hstack([v,w]) np.hstack((m,m)) np.hstack([1,2]) np.identity(3)
    np.identity(2,int) np.indices((2,3)) np.inner(v,w) np.inner(s,s) np.inner(t,m[:2])
    np.insert(v,1,9.0) np.insert(m,1,0.0,0) np.insert(m,2,[1,2,3],1) np.insert(v,-1,7.0) np.int_
    np.intc np.intp np.interp(v,x,u) np.interp(0.25,x,u) np.interp(v,x,u,-9.0,9.0)
    np.interp([0.2,0.3],[0,1],[2,4]) np.intersect1d(i,[1,3]) np.invert(i) np.isclose(v,v+1e-9)
    np.isclose(v,w) np.isclose(n,n,equal_nan=True) np.isclose(n,n) np.isclose(i,1)
    np.isclose(v,0.5,0.0,1.0) np.allclose(v,v+1e-9) np.allclose(v,w) np.allclose(i,[3,1,2,1,0])
    np.iscomplex(z) np.iscomplex(v) np.iscomplexobj(z) np.isneginf(n) np.isposinf(n) np.isreal(z)
    np.isrealobj(v) np.isscalar(3) np.issubdtype(v.dtype,np.floating)
    np.issubdtype(i.dtype,np.inexact) np.iterable(v) np.ix_([0,2],[1,3]) m[np.ix_([0,2],[1,3])]
    np.ix_([True,False,True]) np.kaiser(5,2.0) np.kron(v,w) np.kron(s,k) np.kron(v,m)
    np.left_shift(i,2) np.right_shift(i,1) np.lexsort((v,i)) np.lexsort([i,i[::-1]])
    np.logaddexp2(v,w) np.long np.longlong np.matvec(s,v[:3]) np.vecmat(v[:3],s) np.vecmat(z,s)
    np.mod(v,w) np.modf(v) np.nan_to_num(n) np.nan_to_num(n,nan=1.0,posinf=9.0,neginf=-9.0)
    np.nan_to_num(i) np.nanargmax(n) np.nanargmin(n) np.nancumprod(n) np.nancumsum(n) np.nanmax(n)
    np.nanmean(n[:3]) np.nanmin(n) np.nanprod(n) np.nanstd(n[:3]) np.nanstd(n[:3],ddof=1)
    np.nansum(n) np.nanvar(n[:3]) np.nanmax(i) np.nansum(m,0) np.nanmean(m,1) np.ndim(m)
    np.ndim(3) list(np.ndindex(2,2)) np.outer(v,w) np.outer(m,v) np.pad(v,2)
    np.pad(v,(1,2),constant_values=9) np.pad(m,((1,0),(0,2)),'edge') np.pad(v,2,'reflect')
    np.pad(v,2,mode='symmetric') np.pad(m,1,'wrap') np.pad(v,1,'constant',constant_values=(1,2))
    np.sort(np.partition(v,2)) np.partition(v,2)[2] v[np.argpartition(v,2)][2] np.percentile(v,50)
    np.percentile(m,[25,75],0) np.percentile(m,30,axis=1,keepdims=True) np.percentile(i,90)
    np.quantile(v,0.3) np.quantile(m,[0.1,0.5,1.0]) np.quantile(n,0.5) np.polyfit(x,v,2)
    np.polyfit(x,m[0][[0,1,2,3,0]],1,w=u)
    np.polyfit(x,v,2,0.5) np.polyfit(x,np.stack([v,w],1),2) np.polyval([1,2,3],v) np.polyval(v,2.0)
    np.power(v,2)
    np.power(u,w) np.promote_types(np.int8,np.float32) np.ptp(m) np.ptp(m,0) np.rad2deg(v)
    np.radians(v) np.ravel(m) np.ravel(m,'F') np.ravel_multi_index(([1,2],[0,3]),(3,4))
    np.resize(v,(2,4)) np.resize([1,2],5) np.rint(v) np.rollaxis(t,2) np.rollaxis(t,0,3)
    np.rot90(m) np.rot90(m,2) np.rot90(m,-1) np.rot90(m,5) np.rot90(t,1,(1,2))
    np.select([v<0,v>1],[v,v*2],-1.0)
    np.setdiff1d(i,[1]) np.setxor1d(i,[1,7]) np.shape(m) np.shape([1,2]) np.short np.sinc(v)
    np.single np.size(m) np.size(m,1) np.split(m,2,1) np.split(v,[2,3]) np.swapaxes(t,0,2)
    np.swapaxes(t,-1,1) np.trace(s) np.trace(t,1,0,2) np.transpose(m) np.transpose(t,(1,0,2))
    np.transpose(t,axes=[2,0,1]) np.trapezoid(v) np.trapezoid(v,x) np.trapezoid(m,dx=0.5,axis=0)
    np.trapezoid(m,x[:3],axis=0) np.trapezoid(m,x[:4]) np.trapezoid(m,m*2)
    np.trapezoid(m,m*2,axis=0)
    np.trapezoid(t,x[:3],axis=1) np.trapezoid(t,t*2,axis=1) np.tri(3) np.tri(3,4,1,int)
    np.tril_indices(3)
    np.triu_indices(3,1) np.tril_indices_from(s) np.triu_indices_from(s,1)
    np.tril_indices_from(m,k=-1) np.triu_indices_from(m) np.true_divide(v,w)
    np.ubyte np.uint np.uintc np.uintp np.ulong np.ulonglong np.ushort np.union1d(i,[7,1])
    np.unique(i) np.unique(i,True,True,True) np.unique(i,return_counts=True) np.unique(n)
    np.unique(n,return_counts=True) np.unique(n,return_inverse=True) np.unique(n,True,True,True)
    np.unique(n[:4],True,True,True) np.unique(n[1:2],True,True,True)
    np.unique(k,return_inverse=True) np.unique([2,1,2])
    np.unravel_index(5,(2,3)) np.unravel_index([5,1],(2,3)) np.unwrap(v*3)
    np.unwrap([0.0,3.5,7.0]) np.vander(v,3) np.vander(i) np.vander(v,3,increasing=True)
    np.vdot(z,z) np.vdot(m,m) np.vsplit(m,3) np.vstack([v,w]) np.vstack((m,m)) np.mgrid[0:2,0:3]
    np.mgrid[0:1:5j] np.ogrid[0:2,0:3] np.pi np.e np.inf np.euler_gamma v[np.newaxis]
    np.ndarray.__name__!='' np.s_[1:2] np.index_exp[1:2] v.all() m.all(0) v.any() m.any(axis=1)
    v.argmax() m.argmax(1) v.argmin() m.argmin(0) m.argsort(0) v.argsort() v[v.argpartition(2)][2]
    m.astype(np.float32) i.astype(float) v.astype('int') v.astype(np.float32,copy=False)
    v.astype(np.int64,'K','unsafe') v.clip(0,1) v.clip(min=0) v.clip(None,1.0)
    m.compress([True,False,True],0) z.conj() v.conj() z.conjugate() v.copy() v.copy('C')
    v.cumprod() m.cumprod(1) m.cumsum() m.cumsum(0) m.diagonal() t.diagonal(0,1,2) v.dot(w)
    s.dot(s) s.dot(v[:3]) m.flat[2] m.flat[::2] m.flatten()
    m.flatten('F') z.imag v.imag z.real v.real v.itemsize
    v.item(1) m.item(5) m.item(1,2) v.max() m.max(0) m.max(axis=1,keepdims=True)
    m.max(0,None,True) m.mean() m.mean(0) m.mean(1,keepdims=True) i.mean() v.min() m.min(1)
    v.nbytes k.nonzero() v.prod() m.prod(0) m.ravel() m.ravel('F') v.repeat(2) m.repeat(2,1)
    m.reshape(4,3) m.reshape((2,6)) m.reshape(-1) m.reshape(-1,2) m.reshape(2,6,order='F')
    v.round() v.round(1) m.round(decimals=1) x.searchsorted(0.25) x.searchsorted(v,'right')
    v[None].squeeze() t[:1].squeeze(0) m.std() m.std(0) v.std(ddof=1) v.strides m.strides m.sum()
    m.sum(0) m.sum((0,1)) m.sum(1,keepdims=True) m.sum(axis=0,dtype=np.float32)
    m.sum(axis=None,dtype=None,out=None) v.sum(where=b) t.swapaxes(0,2) m.take([0,2],1) m.take(3)
    v.take(i) v.tobytes() m.tobytes('F') m.tolist() s.trace() s.trace(1) m.transpose()
    t.transpose(1,0,2) t.transpose((1,0,2)) m.transpose(None) m.var() m.var(0,ddof=1)
    v.view(np.int64) m.T.view() v.T t.T v.device m[0] m[[0,2]] m[1,[0,2]] m[:,0] m[m>2] m[b[:3]]
    m[-1,::-1] m[...,0]
    v[i] v[[True,False,True,True,False]] m[None].shape v+1 i+1.5 i/2 i*v 2-v v**2 v//1
    v%1 -v abs(v) v@w s@v[:3] s@[1,2,3] np.can_cast(np.int64,np.float64) np.can_cast('i4',float)
    np.can_cast(int,np.int8) np.can_cast(np.float64,np.float32,'same_kind')
    np.result_type(i,float) np.result_type('float32',np.int8) np.finfo(float).bits
    np.finfo('float32').eps np.iinfo(int).max np.iinfo('i2').min b&b b|~b v>0 v==v i==1 b+b b*v
    [1,2,3,4,5]*v if_ float(np.sum(v)) int(np.max(i)) bool(np.any(b)) len(m) [float(a)_for_a_in_v]
    round(float(v[0]),1) f'{np.mean(v):.3f}' sum(v) max(v) min(v) list(range(i[0])) if_
"""
"""The calls of NumPy's that relaxed mode takes; most of them strict mode refuses."""

STATEMENTS = {
    "copyto": "y = np.zeros(5); np.copyto(y, v); np.copyto(y, 1.5, where=b); r = y",
    "copyto of a scalar": "y = np.zeros(5); np.copyto(y, 2); r = y",
    "copyto nowhere": "y = np.zeros(5); np.copyto(y, v, where=False); r = y",
    "fill": "y = np.zeros((2, 2)); y.fill(3); r = y",
    "fill_diagonal": "y = np.zeros((3, 3)); np.fill_diagonal(y, 2.0); r = y",
    "fill_diagonal of several": "y = np.zeros((3, 3)); np.fill_diagonal(y, [1, 2, 3]); r = y",
    "partition": "y = np.array([3.0, 1.0, 2.0]); y.partition(1); r = y[1]",
    "place": "y = np.array([1.0, 2.0, 3.0]); np.place(y, y > 1, [7.0, 8.0]); r = y",
    "put": "y = np.zeros(5); np.put(y, [0, 3], [1.0, 2.0]); r = y",
    "put as a method": "y = np.zeros((2, 3)); y.put([1, -1], 5.0); r = y",
    "put_along_axis": "y = np.zeros((2, 3)); i = np.array([[1], [2]]); "
    "np.put_along_axis(y, i, 9.0, 1); r = y",
    "putmask": "y = np.array([1.0, 2.0, 3.0]); np.putmask(y, y > 1, [7.0, 8.0, 9.0]); r = y",
    "ravel of a part with a step": "y = np.zeros(4); r = y[::2].ravel(); y[0] = 1",
    "ravel of all": "y = np.zeros(4); r = y.ravel(); y[0] = 1",
    "sort": "y = np.array([[3.0, 1.0], [0.0, 2.0]]); y.sort(); r = y",
    "sort along an axis": "y = np.array([[3.0, 1.0], [0.0, 2.0]]); y.sort(axis=0); r = y",
    "nan_to_num in place": "y = np.array([1.0, np.nan]); np.nan_to_num(y, copy=False); r = y",
    "nan_to_num of complex numbers": "y = z / 0; r = np.nan_to_num(y, nan=1.0), y",
    "nan_to_num of complex numbers in place": "y = np.array([complex(np.inf, np.nan)]); "
    "np.nan_to_num(y, False, 3.0); r = y",
    "errstate": "with np.errstate(all='ignore'): r = np.array([1.0]) / 0",
    "out": "y = np.zeros(5); np.subtract(v, w, out=y); r = y",
    "out of one element": "y = np.zeros(1); np.subtract(v[:1], 3, out=y); r = y",
    "out in a tuple": "y = np.zeros(1); np.subtract(v[:1], 3, out=(y,)); r = y",
    "out of a number": "y = np.zeros(()); np.sum(v, out=y); r = y",
    "out of a sum": "y = np.zeros(4); np.sum(m, axis=0, out=y); r = y",
    "setting": "y = np.zeros((2, 3)); y[0] = [1, 2, 3]; y[:, 1] += 5; y[y > 4] = -1; r = y",
    "conjugates of real numbers": "y = v.copy(); r = np.conj(y); y[0] = 9",
    "axes": "y = np.zeros((2, 3)); y += np.arange(3); y *= 2; r = y",
}
"""The functions and methods that change arrays: what they leave as ``r``."""

FUNCTIONS_LEFT_OUT = {
    "text, printing and files": "array2string array_repr array_str base_repr binary_repr "
    "format_float_positional format_float_scientific fromfile fromregex fromstring genfromtxt "
    "get_printoptions load loadtxt printoptions save savetxt savez savez_compressed "
    "set_printoptions",
    "deprecated": "row_stack",
    "NumPy about itself": "get_include info show_config show_runtime test",
    "NumPy's handling of errors and buffers": "getbufsize geterr geterrcall setbufsize seterr "
    "seterrcall",
    "dates, texts, objects, records: there are no such data types": "busday_count busday_offset "
    "busdaycalendar bytes_ character datetime64 datetime_as_string datetime_data is_busday isnat "
    "object_ recarray record str_ timedelta64 void",
    "extended precision: there are no such types": "clongdouble complex256 float128 longdouble",
    "the data types are torch's, which are not called and have no hierarchy": "dtype mintypecode "
    "typename min_scalar_type common_type real_if_close asarray_chkfinite",
    "classes of NumPy's own": "broadcast flatiter matrix asmatrix bmat memmap nditer nested_iters "
    "ndenumerate poly1d ufunc vectorize frompyfunc",
    "memory, which is the namespace's own affair": "frombuffer isfortran may_share_memory require "
    "shares_memory",
    "polynomials; numpy.polynomial is NumPy's advice": "poly polyadd polyder polydiv polyint "
    "polymul polysub",
    "operations that no route computes": "bitwise_count frexp gcd i0 lcm ldexp packbits spacing "
    "unpackbits",
    "not yet": "apply_over_axes block choose einsum_path fromiter histogram2d histogramdd "
    "mask_indices piecewise sort_complex trim_zeros",
}
"""What NumPy's main namespace has and relaxed mode has not, by the reason."""

METHODS_LEFT_OUT = {
    "memory, which is the namespace's own affair": "base byteswap ctypes data flags resize "
    "setflags",
    "files and pickles: use pickle": "dump dumps tofile",
    "fields: there are no records": "getfield setfield",
    "not yet": "choose",
}
"""What NumPy's arrays have and those of relaxed mode have not, by the reason."""

NUMPYS_OWN = (
    "broadcast_shapes complexfloating flexible generic integer number signedinteger unsignedinteger"
)
DATA_TYPES = (
    "bool complex64 complex128 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 "
    "uint64"
)


def expressions(text: str) -> list[str]:
    """The expressions of a table."""
    return [e.replace("_for_", " for ").replace("_in_", " in ") for e in text.split() if e != "if_"]


def names() -> dict[str, Any]:
    return {"lambda_ij": lambda i, j: i * 10.0 + j}


def parts(result: Any) -> Iterator[Any]:
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from parts(part)
    else:
        yield result


def narrow(value: np.ndarray) -> np.ndarray:
    """The array in the narrower data type of its kind."""
    return value.astype({"f": "float32", "c": "complex64", "i": "int32"}.get(value.dtype.kind))


WIDENED = """
    np.corrcoef(m) np.corrcoef(v,w) np.cov(m) np.cov(v,w) np.cov(m,rowvar=False)
    np.cov(m,bias=True) np.cov(v) np.cov(m,m*m,False) np.cov(m,v[:3],False) np.dot(2,v)
    np.interp(v,x,u) np.interp(v,x,u,-9.0,9.0)
    np.nanquantile(m,[0.1,0.75],1) np.nanpercentile(n,[0,50,100]) np.percentile(m,[25,75],0)
    np.quantile(m,[0.1,0.5,1.0]) np.polyval(v,2.0)
"""
"""What NumPy computes in float64 whatever it is given: here the data type of the arrays stays."""


def of_numpy(expression: str, **more: Any) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # sizes without axes
        warnings.simplefilter("ignore", np.exceptions.RankWarning)
        given = {name: value.copy() for name, value in VALUES.items()}
        return eval(expression, {"np": np, **names(), **given, **more})


def of_ours(expression: str, **more: Any) -> Any:
    ours = {name: xp.asarray(value.copy()) for name, value in VALUES.items()}
    return eval(expression, {"np": xp, **names(), **ours, **more})


def same(got: Any, expected: Any) -> None:
    """Check that a result is NumPy's: the shape, the data type, the values (floats to rounding)."""
    got, expected = list(parts(got)), list(parts(expected))
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        if isinstance(a, xp.Array):
            b = np.asarray(b)
            assert dt.NAMES[a.dtype] == b.dtype.name
            assert a.shape == b.shape
            if b.dtype.kind in "biu":
                np.testing.assert_array_equal(to_numpy(a), b)
            else:
                np.testing.assert_allclose(
                    to_numpy(a), b, rtol=1e-6 if b.itemsize < 8 else 1e-12, atol=1e-13
                )
        elif isinstance(a, type(xp.float64)):
            assert dt.NAMES[a] == np.dtype(b).name
        elif isinstance(a, (float, np.ndarray)):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        elif not isinstance(a, xp.Device):
            assert a == b


@pytest.fixture
def relaxed():
    with xp.options(relaxed=True, default_float="float64", device="cpu"):
        yield


@listing("expression", expressions(STRICT) + expressions(RELAXED), parts=4)
def test_relaxed_mode_answers_as_numpy(expression: str, relaxed: Any) -> None:
    same(of_ours(expression), of_numpy(expression))


def test_relaxed_mode_gives_numpys_data_types(
    relaxed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in VALUES.items():
        monkeypatch.setitem(VALUES, name, value if value.dtype == bool else narrow(value))
    differ = set()
    for expression in expressions(STRICT) + expressions(RELAXED):
        try:
            expected = of_numpy(expression)
        except (TypeError, ValueError):  # it writes to an array of the wider data type
            continue
        for a, b in zip(parts(of_ours(expression)), parts(expected)):
            if isinstance(a, xp.Array) and dt.NAMES[a.dtype] != np.asarray(b).dtype.name:
                differ.add(expression)
    assert differ == set(expressions(WIDENED))


# --- sizes, axes and flags ------------------------------------------------------------------------

NONE = {"axis": "0", "axes": "(0,)", "correction": "0", "ddof": "0", "shape": "(2, 3)"}
"""What stands for a size or an axis whose default is None."""


def forms(text: str) -> list[str]:
    """Return how else a number, a flag or a shape can be given."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):  # it is no literal
        return []
    if isinstance(value, (bool, int, float)):
        return [f"A({text})", f"G({text})"] if isinstance(value, bool) else [f"A({text})"]
    whole = isinstance(value, (tuple, list)) and {type(v) for v in value} == {int}
    return [f"A([*{text}])", f"({''.join(f'A({v}), ' for v in value)})"] if whole else []


def others(expression: str, seen: set[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    """Yield a call, and the same call with one argument in another form, once a parameter."""
    call = next((n for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Call)), None)
    if call is None or call.col_offset:
        return
    function, rest = ast.unparse(call.func), expression[call.end_col_offset :]
    try:
        parameters = inspect.signature(eval(function, {"np": np, **VALUES})).parameters
    except ValueError:  # it is written in C
        parameters = {}
    plain: list[list[str]] = [[ast.unparse(a)] for a in call.args]
    plain += [[k.arg or "", ast.unparse(k.value)] for k in call.keywords]
    names = [*parameters, *"0123456789"][: len(call.args)] + [str(k.arg) for k in call.keywords]
    every = [(plain, i, name) for i, name in enumerate(names)]
    for name, p in parameters.items():
        number = isinstance(p.default, (bool, int, float))
        text = repr(p.default) if number else NONE.get(name, "")
        if name not in names and p.kind not in {p.POSITIONAL_ONLY, p.VAR_POSITIONAL} and text:
            every.append(([*plain, [name, text]], len(plain), name))
    for arguments, i, name in every:
        for form in forms(arguments[i][-1]):
            if name not in {"where", "sorted"} and (function, name, form[:2]) not in seen:
                seen.add((function, name, form[:2]))
                changed = [[*a[:-1], form] if j == i else a for j, a in enumerate(arguments)]
                yield tuple(  # type: ignore[misc]
                    f"{function}({', '.join('='.join(a) for a in given)}){rest}"
                    for given in (arguments, changed)
                )


def test_sizes_axes_and_flags_are_read_as_numpy_reads_them(relaxed: Any) -> None:
    """An array of 0 dimensions stands for NumPy's scalar, an array of integers for a shape."""
    ours = {"A": xp.asarray, "G": lambda v: np.asarray(v)[()]}
    theirs = {"A": lambda v: np.asarray(v)[()], "G": ours["G"]}
    seen: set[tuple[str, str, str]] = set()
    wrong, cases = [], 0
    for expression in (*expressions(STRICT), *expressions(RELAXED)):
        for plain, changed in others(expression, seen):
            try:
                expected = of_numpy(changed, **theirs)
            except (TypeError, ValueError, IndexError):
                continue
            cases += 1
            try:
                same(of_ours(changed, **ours), expected)
            except Exception as error:  # noqa: BLE001  # they are shown together
                if not said_of(plain).endswith("relaxed mode neither."):
                    wrong.append(f"{changed}: {error}")
    assert cases > 600
    # The page says what to write for it.
    assert wrong == ["np.isscalar(A(3)): assert False == True"], "\n".join(wrong)


GENERATORS = """
    beta(1.0,2.0) binomial(5,0.5) choice(5) choice(v) chisquare(2.0) dirichlet([1.0,2.0])
    exponential() f(2.0,3.0) gamma(2.0) geometric(0.5) gumbel() hypergeometric(5,4,3) laplace()
    integers(5) logistic() lognormal() logseries(0.5) multinomial(5,[0.5,0.5])
    negative_binomial(5,0.5)
    multivariate_hypergeometric([5,4],3) multivariate_normal([0.0,0.0],[[1.0,0.0],[0.0,1.0]])
    noncentral_chisquare(2.0,1.0) noncentral_f(2.0,3.0,1.0) normal() pareto(2.0) permutation(5)
    permutation(m) permuted(m) poisson() power(2.0) random() rayleigh() standard_cauchy()
    standard_exponential() standard_gamma(2.0) standard_normal() standard_t(3.0) uniform()
    triangular(0.0,0.5,1.0) vonmises(0.0,1.0) wald(1.0,1.0) weibull(2.0) zipf(2.0)
"""
"""A call of each of the draws."""

DRAWN = ("size=A(2)", "size=A([2, 3])", "size=(A(2), A(3))", "size=G(2)", "size=G([2, 3])")


def test_sizes_and_flags_of_draws_are_read_as_numpy_reads_them(relaxed: Any) -> None:
    seen, wrong = set(), []
    more = (*DRAWN, "axis=A(0)", "replace=G(True)", "shuffle=A(True)", "endpoint=G(False)")
    for call in GENERATORS.split():
        whole = re.sub(r"(?<![.\d])(\d+)(?![.\d])", r"A(\1)", call.partition("[")[0])
        calls = [f"{call[:-1]}, {one})".replace("(, ", "(") for one in more]
        for text in (*calls, whole + call[len(call.partition("[")[0]) :]):
            shapes = []
            for ns, convert in ((np, lambda v: np.asarray(v)[()]), (xp, xp.asarray)):
                given = {name: convert(value) for name, value in VALUES.items()}
                given |= {"A": convert, "G": lambda v: np.asarray(v)[()]}
                try:
                    drawn = eval(f"rng.{text}", {"rng": ns.random.default_rng(0), **given})
                    shapes.append(np.shape(drawn))
                except (TypeError, ValueError) as error:
                    shapes.append(error)
            if isinstance(shapes[0], tuple):
                seen.add(text)
                if shapes[0] != shapes[1]:
                    wrong.append(f"{text}: {shapes[1]}")
    assert len(seen) > 200
    assert not wrong, "\n".join(wrong)


@listing("expression", expressions(STRICT))
def test_strict_mode_takes_the_standards_calls(expression: str) -> None:
    with xp.options(relaxed=False, default_float="float64", device="cpu"):
        same(of_ours(expression), of_numpy(expression))


def said_of(expression: str) -> str:
    """Return what the error of an expression says, or the name of the option if there is none."""
    try:
        of_ours(expression)
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        return str(error)
    return "relaxed=True"


def test_strict_mode_says_what_relaxed_mode_takes() -> None:
    with xp.options(relaxed=False, default_float="float64", device="cpu"):
        silent = [e for e in expressions(RELAXED) if "relaxed=True" not in said_of(e)]
    assert silent == []


@pytest.mark.parametrize("case", STATEMENTS)
def test_what_changes_arrays(case: str, relaxed: Any) -> None:
    expected = {"np": np, **{k: v.copy() for k, v in VALUES.items()}}
    got = {"np": xp, **{k: xp.asarray(v.copy()) for k, v in VALUES.items()}}
    with np.errstate(all="ignore"):
        exec(STATEMENTS[case], expected)
    exec(STATEMENTS[case], got)
    same(got["r"], expected["r"])


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigenvectors_are_of_the_triangle_asked_for(triangle: str, relaxed: Any) -> None:
    part = np.tril if triangle == "L" else np.triu
    given = part(np.asarray([[2, 1 - 3j, 0.5j], [4 + 1j, -1, 2], [1j, 3 - 2j, 0.5]]))
    whole = given + np.conj(given).T - np.diag(np.diag(given))
    for x in (given, given.real):
        values, vectors = map(np.asarray, xp.linalg.eigh(xp.asarray(x), triangle))
        expected = whole if x is given else x + x.T - np.diag(np.diag(x))
        np.testing.assert_allclose((vectors * values) @ np.conj(vectors).T, expected, atol=1e-12)


def test_what_numpy_does_not_have_casts_as_the_standard_says(relaxed: Any) -> None:
    assert xp.can_cast(xp.bfloat16, xp.float32)
    assert not xp.can_cast(xp.float32, xp.bfloat16)


def named(pattern: str) -> set[str]:
    text = " ".join([STRICT, RELAXED, *STATEMENTS.values()])
    return set(re.findall(pattern, text))


def test_all_of_numpy_is_in_the_table_or_left_out() -> None:
    theirs = {n for n in dir(np) if not n.startswith("_") and callable(getattr(np, n))}
    left_out = {name for names in FUNCTIONS_LEFT_OUT.values() for name in names.split()}
    seen = named(r"\bnp\.(\w+)") | set(NUMPYS_OWN.split()) | set(DATA_TYPES.split())
    assert not left_out & seen
    assert theirs <= left_out | seen
    with xp.options(relaxed=True):
        assert all(hasattr(xp, name) for name in seen)
        assert not any(hasattr(xp, name) for name in left_out)


def refusal(name: str) -> str:
    """Return what strict mode says of a name."""
    with pytest.raises(AttributeError) as caught:
        getattr(xp, name)
    return str(caught.value)


def test_the_page_counts_its_names() -> None:
    """Not the names of this version of NumPy, but of all of them."""
    seen = named(r"\bnp\.(\w+)") | set(NUMPYS_OWN.split()) | set(DATA_TYPES.split())
    left_out = [name for names in FUNCTIONS_LEFT_OUT.values() for name in names.split()]
    refused = {n: refusal(n) for n in seen.union(left_out) if not hasattr(xp, n)}
    lost = [name for name in left_out if "nothing like" in refused[name]]
    assert all("relaxed=True" in refused[name] for name in seen & refused.keys())
    text = (Path(__file__).parents[2] / "docs" / "strict-and-relaxed.md").read_text("utf-8")
    said = (
        f"Relaxed mode has {len(seen)} names of NumPy's main namespace. Strict mode refuses "
        f"{len(seen & refused.keys())} of them, and the error names the option. Relaxed mode "
        f"lacks {len(left_out)} names: for {len(left_out) - len(lost)} the error says what to "
        f"write or why, for {len(lost)} that there is nothing like it."
    )
    assert said in " ".join(text.split())


def test_the_page_names_all_that_is_left_out() -> None:
    text = (Path(__file__).parents[2] / "docs" / "strict-and-relaxed.md").read_text("utf-8")
    _, _, table = text.partition("| left out | why |")
    cells = [line.split("|")[1] for line in table.split("\n\n")[0].splitlines()[2:]]
    said = {name for cell in cells for name in re.findall(r"\w+", cell)}
    left_out = {name for names in FUNCTIONS_LEFT_OUT.values() for name in names.split()}
    assert not left_out - said


@pytest.mark.parametrize("chapter", ["linalg", "fft"])
def test_all_of_its_chapters_too(chapter: str) -> None:
    theirs = {
        n
        for n in dir(getattr(np, chapter))
        if not n.startswith("_") and callable(getattr(getattr(np, chapter), n))
    }
    left_out = {"test", "tensorinv", "tensorsolve", "LinAlgError"}
    assert theirs <= left_out | named(rf"\bnp\.{chapter}\.(\w+)")


def test_all_of_its_methods_too() -> None:
    theirs = {n for n in dir(np.ndarray) if not n.startswith("_")}
    left_out = {name for names in METHODS_LEFT_OUT.values() for name in names.split()}
    seen = named(r"(?:\b[a-z]|[\])])\.(\w+)") & theirs
    assert theirs <= left_out | seen
    x = xp.ones((2, 2))
    with xp.options(relaxed=True):
        assert all(hasattr(x, name) for name in seen)
        assert not any(hasattr(x, name) for name in left_out)


# --- strict mode ----------------------------------------------------------------------------------

NOT_THE_STANDARDS = """
    np.sum(m,0) np.std(v,ddof=1) np.concat([m,m],1) np.round(v,1) np.where(v>0) np.fft.fft(v)
    np.squeeze(np.expand_dims(v,0)) np.fft.irfftn(m+0j,s=(3,4)) np.zeros(3,'float')
    np.zeros(3,dtype='bfloat16') np.zeros_like([1,2]) np.array([1]) np.isclose(v,v)
    np.einsum('i,i',v,v) np.add(v,w,out=v) np.tensordot(s,s,1) np.linalg.norm(v) np.fft.fft2(s)
    np.take(m,1,0) np.flip(m,0) np.stack([v,w],1) m.fill(1) m.sort() m.swapaxes(0,1) m.trace()
    m.tobytes() v.T
"""


@pytest.mark.parametrize("expression", expressions(NOT_THE_STANDARDS))
def test_strict_mode_refuses_also_after_relaxed(expression: str) -> None:
    with xp.options(relaxed=True):  # from here on the functions read NumPy's calls
        of_ours(expression.replace("bfloat16", "float"))
    with (
        xp.options(relaxed=False),
        pytest.raises((TypeError, ValueError, AttributeError)) as caught,
    ):
        of_ours(expression)
    assert str(caught.value)


# --- NumPy's functions of the namespace's arrays --------------------------------------------------

OF_NUMPY = """
    np.sum(v) np.sum(m,axis=0) np.mean(v) np.mean(m,0) np.std(v) np.var(m,axis=1) np.prod(v)
    np.max(v) np.min(m,axis=1) np.any(b) np.all(b) np.argmax(v) np.argmin(m,axis=0) np.cumsum(v)
    np.cumprod(v) np.clip(v,0,1) np.round(v,1) np.argsort(v) np.sort(v) np.ravel(m)
    np.reshape(m,(4,3)) np.transpose(m) np.squeeze(t[:1,...]) np.repeat(v,2) np.take(v,[0,1])
    np.swapaxes(t,0,1) np.trace(s) np.diagonal(s) np.searchsorted(x,0.25) np.nonzero(i)
    np.compress(b,v) np.dot(v,w) np.real(z) np.imag(z) np.imag(v) np.add.reduce(v)
    np.add.accumulate(v) np.median(v) np.ptp(v) np.shape(m) np.ndim(m) np.size(m)
"""


@pytest.mark.parametrize("mode", [True, False])
@pytest.mark.parametrize("expression", expressions(OF_NUMPY))
def test_numpys_own_functions_take_arrays(expression: str, mode: bool) -> None:
    with xp.options(relaxed=mode, default_float="float64", device="cpu"):
        ours = {name: xp.asarray(value.copy()) for name, value in VALUES.items()}
        got = eval(expression, {"np": np, **ours})
        if not mode:  # NumPy's own results there
            got = [g if isinstance(g, xp.Array) else np.asarray(g) for g in parts(got)]
            expected = [np.asarray(e) for e in parts(of_numpy(expression))]
            for a, b in zip(got, expected):
                np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12)
        else:
            same(got, of_numpy(expression))


# --- what arrays say that they have ---------------------------------------------------------------


@pytest.mark.parametrize("mode", [True, False])
@pytest.mark.parametrize("name", ["bool", "int64", "uint16", "bfloat16", "float32", "complex64"])
def test_no_attribute_raises_but_for_its_absence(name: str, mode: bool) -> None:
    protocols = ["__array_function__", "__array_interface__", "__cuda_array_interface__", "__len__"]
    with xp.options(relaxed=mode, device="cpu"):
        for shape in [(), (2,), (2, 3), (1, 2, 3), (0, 2)]:
            x = xp.zeros(shape, dtype=getattr(xp, name))
            for attribute in {*dir(np.ndarray), *dir(xp.Array), *protocols}:
                assert hasattr(x, attribute) in {True, False}
            assert hasattr(x, "imag") is mode


def test_transposes() -> None:
    for wrong, attribute, hint in (
        (xp.ones(2), "T", "got 1. Leave T out"),
        (xp.ones((1, 2, 3)), "T", "got 3. Use mT"),
        (xp.ones(2), "mT", "got 1"),
    ):
        with pytest.raises(ValueError, match=f"expected an array of .*{hint}"):
            getattr(wrong, attribute)
        with pytest.raises(AttributeError):
            getattr(wrong, attribute)


# --- where the functions are ----------------------------------------------------------------------


@pytest.mark.nightly
def test_nothing_is_replaced_before_the_mode_is_chosen() -> None:
    program = """
import pickle
import ascend_array_api as xp
from ascend_array_api import fft, linalg, v2023_12
from ascend_array_api._chapters import elementwise, statistical
from ascend_array_api.linalg import _decompositions

assert xp.sum is statistical.sum and xp.add is elementwise.add and v2023_12.sum is xp.sum
assert linalg.svd is _decompositions.svd
with xp.options(relaxed=False):
    pass
assert xp.sum is statistical.sum
with xp.options(relaxed=True):
    assert float(xp.sum(xp.ones((2, 2)), 0)[1]) == 2
    assert v2023_12.sum is xp.sum
try:
    xp.sum(xp.ones((2, 2)), 0)
except TypeError as error:
    assert "positional argument" in str(error) or "axis" in str(error), error
else:
    raise AssertionError
for function in (xp.sum, xp.add, xp.meshgrid, xp.linalg.svd, xp.fft.fft, v2023_12.linalg.svd):
    assert pickle.loads(pickle.dumps(function)) is function
"""
    python("-c", program)


@pytest.mark.nightly
def test_a_whole_process_in_relaxed_mode() -> None:
    program = (
        "import ascend_array_api as np; x = np.array([[1, 2], [3, 4]]); "
        "print(np.sum(x, 0).tolist(), np.concatenate([x, x], 1).shape, float(x.mean()), np.pi)"
    )
    run = python("-c", program, env=os.environ | {"ASCEND_ARRAY_API_RELAXED": "1"})
    assert run.stdout.split() == "[4, 6] (2, 4) 2.5 3.141592653589793".split()


def test_what_relaxed_mode_does_not_take_is_refused() -> None:
    x = xp.asarray([1.0, 2.0], device="cpu")
    refused = [
        (lambda: xp.sum(x, 0, bogus=1), "bogus"),
        (lambda: xp.sum(x, x=x), "x"),
        (lambda: xp.can_cast(xp.float32), "'to' is missing"),
        (lambda: xp.add(x, x, where=x > 1), "where needs out"),
        (lambda: xp.max(x, where=x > 1), "initial"),
        (lambda: xp.add(x, x, out=xp.zeros(2, dtype=xp.int64)), "not cast to out's dtype"),
        (lambda: xp.add(x, x, out=np.zeros(2)), "out must be an Array"),
        (lambda: xp.add(x, x, out=(xp.zeros(2), xp.zeros(2))), "out must be an Array, got"),
        (lambda: xp.sort(x, order="name"), "order='name'"),
        (lambda: xp.unique(xp.ones((2, 2)), axis=0), "axis"),
        (lambda: xp.einsum("ij->i", x), "does not name the axes"),
        (lambda: xp.pad(x, 1, "mean"), "mode 'mean'"),
        (lambda: xp.add(x, x, xp.zeros(3)), "broadcast"),
    ]
    with xp.options(relaxed=True, device="cpu"):
        for call, words in refused:
            with pytest.raises((TypeError, ValueError), match=words):
                call()
